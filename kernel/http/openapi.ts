import { isDeepStrictEqual } from 'node:util'
import type { ErrorTable } from '../errors.ts'
import type { Blueprint } from '../loading/blueprint.ts'
import type { JSONSchema } from '../schema.ts'
import type { Socket } from '../socket/socket.ts'
import { isProbe, type Route } from './route.ts'

type Json = Record<string, unknown>

const errorSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        details: { type: 'object' },
        request_id: { type: 'string' },
      },
      required: ['code', 'message', 'details', 'request_id'],
    },
  },
  required: ['error'],
}

/** Describes every route and socket as OpenAPI 3.1, from the declarations that also validate. */
export function describeApi(blueprint: Blueprint, kernelRoutes: readonly Route[]): Json {
  const schemas: Record<string, unknown> = { Error: errorSchema }
  const paths: Record<string, Json> = {}
  const groups = [
    { tag: 'server', routes: kernelRoutes, sockets: [] as readonly Socket[] },
    ...blueprint.plugins.map(({ plugin, declarations }) => ({ tag: plugin.name, ...declarations })),
  ]
  for (const { tag, routes, sockets } of groups) {
    for (const route of routes) {
      const path = templateOf(route.path)
      paths[path] ??= {}
      paths[path][route.method.toLowerCase()] = describeRoute(route, tag, blueprint.errors, schemas)
    }
    for (const socket of sockets)
      paths[templateOf(socket.path)] = {
        ...paths[templateOf(socket.path)],
        get: describeSocket(socket, tag, schemas),
      }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Agent Platform Service', version: blueprint.version },
    servers: [{ url: '/api' }],
    tags: blueprint.plugins.map(({ plugin: { name, summary } }) => ({ name, description: summary })),
    paths,
    components: {
      schemas,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
}

const templateOf = (path: string) => path.replace(/:(\w+)/g, '{$1}')

/** The parameter with the token of a WebSocket, whose headers browsers cannot set. */
const TOKEN_PARAMETER = { name: 'token', in: 'query', schema: { type: 'string' } }

const describeGuard = (guard: Route['guard']): Json =>
  guard === 'public' ? { security: [] } : { security: [{ bearer: [] }], 'x-guard': guard }

const jsonContent = (schema: unknown) => ({ 'application/json': { schema } })

/** The media type of each kind of stream; for a download, the schema describes one line. */
const CONTENT_TYPES = {
  events: 'text/event-stream',
  download: 'application/octet-stream',
  file: 'application/octet-stream',
} as const

const replyContent = (schema: unknown, stream: Route['stream']) =>
  stream ? { [CONTENT_TYPES[stream]]: { schema } } : jsonContent(schema)

/** Of lists that come in pages. */
const LINK_HEADER = {
  Link: {
    description:
      'The address of the next page, `rel="next"`, relative to that of the request; missing on the last page',
    schema: { type: 'string' },
  },
}

function describeRoute(
  route: Route,
  tag: string,
  errors: ErrorTable,
  schemas: Record<string, unknown>,
): Json {
  const { method, path, summary, guard, query, response, stream } = route
  const content = contentOf(route, schemas)
  const headers = 'cursor' in ((query?.properties ?? {}) as Json) && { headers: LINK_HEADER }
  const replies = Object.entries(response).map(([status, schema]) => [
    status,
    schema
      ? { description: 'Success', ...headers, content: replyContent(hoist(schema, schemas), stream) }
      : { description: 'Success, no body' },
  ])
  return {
    operationId: operationId(method, path),
    summary,
    tags: [tag],
    ...describeGuard(guard),
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(content ? { requestBody: { required: !isBodyOptional(route), content } } : {}),
    responses: {
      ...Object.fromEntries(replies),
      ...(stream === 'file' && FILE_REPLIES),
      ...describeErrors(codesOf(route), errors),
    },
  }
}

/** Describes the body of a request by media type; undefined if it has none. */
function contentOf({ body, upload, raw }: Route, schemas: Record<string, unknown>): Json | undefined {
  if (raw) return { '*/*': { schema: {} } }
  if (upload?.as === 'body') return { 'application/octet-stream': { schema: BINARY } }
  if (!body && !upload) return undefined
  return {
    ...(body && jsonContent(hoist(body, schemas))),
    ...(upload && { 'multipart/form-data': { schema: FILE_FORM } }),
  }
}

/** True if a request may come without a body, which then counts as an empty object. */
function isBodyOptional({ body }: Route): boolean {
  const { required = [], minProperties = 0, oneOf, anyOf } = body ?? { minProperties: 1 }
  return (required as string[]).length === 0 && minProperties === 0 && !oneOf && !anyOf
}

/** Bytes; `format` is what generators of clients know. */
const BINARY = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' }

/** The other replies with a file. */
const FILE_REPLIES = {
  206: { description: 'The range that was asked for', content: { [CONTENT_TYPES.file]: { schema: BINARY } } },
  304: { description: 'The client has the file already' },
}

const FILE_FORM = {
  type: 'object',
  properties: { file: BINARY },
  required: ['file'],
  additionalProperties: false,
}

function codesOf(route: Route): string[] {
  const { guard, query, body, upload, raw, stream, errors = [] } = route
  const guarded = guard === 'public' ? [] : ['AUTH_FAILED', 'TOKEN_EXPIRED', 'USER_DISABLED', 'FORBIDDEN']
  const validated = query || body || upload ? ['VALIDATION_FAILED'] : []
  const parsed = body ? ['BAD_JSON'] : []
  const received = upload && upload.as !== 'body' ? ['BAD_FORM'] : []
  const bounded = body || upload || raw ? ['BODY_TOO_LARGE'] : []
  const typed = body || upload ? ['UNSUPPORTED_MEDIA_TYPE'] : []
  const limited = isProbe(route) ? [] : ['RATE_LIMITED']
  const partial = stream === 'file' ? ['RANGE_NOT_SATISFIABLE'] : []
  const taken = [...parsed, ...received, ...bounded, ...typed, ...validated]
  return [...guarded, ...limited, ...taken, ...partial, ...errors]
}

function describeErrors(codes: string[], errors: ErrorTable): Json {
  const byStatus = new Map<number, string[]>()
  for (const code of new Set(codes)) {
    const definition = errors[code]
    if (!definition) continue
    const { status, code: shown = code } = definition
    byStatus.set(status, [...(byStatus.get(status) ?? []), shown])
  }
  const ref = { $ref: '#/components/schemas/Error' }
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      status,
      { description: names.join(', '), content: jsonContent(ref) },
    ]),
  )
}

/** Describes a WebSocket as the GET that opens it, with its frames by direction and type. */
function describeSocket(
  { path, summary, guard, receive, send }: Socket,
  tag: string,
  schemas: Record<string, unknown>,
): Json {
  const frames = (direction: typeof receive) =>
    Object.fromEntries(Object.entries(direction).map(([type, schema]) => [type, hoist(schema, schemas)]))
  return {
    operationId: operationId('open', path),
    summary,
    tags: [tag],
    ...describeGuard(guard),
    'x-websocket': { receive: frames(receive), send: frames(send) },
    parameters: [...pathParameters(path), ...(guard === 'public' ? [] : [TOKEN_PARAMETER])],
    responses: { 101: { description: 'Switching protocols' } },
  }
}

const operationId = (method: string, path: string) =>
  `${method.toLowerCase()}${path
    .split('/')
    .filter(Boolean)
    .map((part) =>
      part.replace(/^:/, 'by-').replace(/(^|[-_.])(\w)/g, (_, __, letter) => letter.toUpperCase()),
    )
    .join('')}`

const pathParameters = (path: string) =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))

const queryParameters = (query: JSONSchema | undefined) => {
  const required = (query?.required ?? []) as string[]
  return Object.entries((query?.properties ?? {}) as Json).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
}

/** Moves schemas that have a title to the components, at any depth, and leaves references in their place. */
function hoist(schema: unknown, schemas: Record<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((part) => hoist(part, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, hoist(part, schemas)]))
  if (typeof copy.title !== 'string' || copy.type === undefined || !/^[\w.-]+$/.test(copy.title)) return copy
  schemas[copy.title] ??= copy
  // Of two different schemas with one title, the second stays inline.
  if (!isDeepStrictEqual(schemas[copy.title], copy)) return copy
  return { $ref: `#/components/schemas/${copy.title}` }
}
