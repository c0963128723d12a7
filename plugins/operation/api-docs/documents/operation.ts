import {
  type ErrorForm,
  findErrorForm,
  type Guard,
  type GuardUse,
  isProbe,
  isRepeatable,
  type JSONSchema,
  type Route,
  type UploadSpec,
} from '#plugin-api'
import { type Components, toPascalCase } from './components.ts'
import type { ErrorResponses } from './error-responses.ts'
import { createExample } from './example.ts'

type Json = Record<string, unknown>

/** The parts of a document that its operations share. */
export interface DocumentParts {
  readonly components: Components
  readonly errors: ErrorResponses
  /** The forms of errors below single paths. */
  readonly forms: readonly ErrorForm[]
  /** The guards by name. */
  readonly guards: ReadonlyMap<string, Guard>
  /** True if repeated calls are answered with the first reply. */
  readonly keepsReplies: boolean
}

/** Returns a path as OpenAPI writes it, with `{name}` for a parameter. */
export const toPathTemplate = (path: string) => path.replace(/:(\w+)/g, '{$1}')

/** Describes a route as an operation. */
export function describeOperation(route: Route, tag: string, parts: DocumentParts): Json {
  const { method, path, summary, guard, query } = route
  const operationId = route.operation_id ?? deriveOperationId(method, path)
  const name = toPascalCase(operationId)
  const content = describeContent(route, name, parts.components)
  const form = findErrorForm(parts.forms, path)
  return {
    operationId,
    summary,
    description: [route.description ?? `${summary}.`, describeGuard(guard, parts.guards)]
      .filter(Boolean)
      .join('\n\n'),
    tags: [tag],
    ...(guard === 'public'
      ? { security: [] }
      : { security: describeSecurity(guard, parts), 'x-guard': guard }),
    parameters: [
      ...describeParameters('path', listPathParameters(route, parts), name, parts.components),
      ...describeParameters('query', query, name, parts.components),
      ...(isConditional(route) ? [IF_MATCH] : []),
      ...(parts.keepsReplies && isRepeatable(route) ? [IDEMPOTENCY_KEY] : []),
    ],
    ...(content && { requestBody: { required: !isBodyOptional(route), content } }),
    responses: {
      ...parts.errors.describe(listCodes(route, parts), name, form),
      // A route whose replies follow another protocol declares its errors itself.
      ...describeReplies(route, name, parts.components, form),
    },
  }
}

/** Requests that the guard `visitor` admits may have a token or none. */
function describeSecurity(guard: GuardUse, { guards }: DocumentParts): Json[] {
  const visitor = guards.get('visitor')
  const isOptional = visitor !== undefined && listGuards(guard, guards).includes(visitor)
  return [...(isOptional ? [{}] : []), { bearer: [] }]
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A name for this request; repeated with the same name, it takes effect once',
  schema: { type: 'string', minLength: 1, maxLength: 128 },
}

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of the object as you know it; the change is refused if it has another one now',
  schema: { type: 'string' },
}

const isConditional = ({ method, etag }: Route): boolean =>
  etag === true && (method === 'PATCH' || method === 'PUT')

/** Lists the guards that a request passes, the first one first. */
function listGuards(use: GuardUse, guards: DocumentParts['guards']): Guard[] {
  const chain: Guard[] = []
  let guard = guards.get(typeof use === 'string' ? use : use[0])
  while (guard) {
    chain.unshift(guard)
    guard = guards.get(guard.after ?? 'public')
  }
  return chain
}

/** Says in words whom a guard admits. */
export const describeGuard = (use: GuardUse, guards: DocumentParts['guards']): string => {
  const [, argument] = typeof use === 'string' ? [] : use
  return listGuards(use, guards)
    .flatMap(({ description = [] }) => description)
    .join(' ')
    .replaceAll('{argument}', argument ?? '')
}

const REPETITION_CODES = ['IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_KEY_IN_USE', 'LIMIT_REACHED']

/** Lists the codes that an operation may answer. */
function listCodes(route: Route, { guards, keepsReplies }: DocumentParts): string[] {
  const { guard, query, body, upload, raw, stream, errors = [] } = route
  const guarded = listGuards(guard, guards).flatMap(({ errors: codes = ['FORBIDDEN'] }) => codes)
  // A parameter may not be the name of anything.
  const identified = route.path.includes('/:') ? ['NOT_FOUND'] : []
  const validated = query || body || upload ? ['VALIDATION_FAILED'] : []
  const parsed = body ? ['BAD_JSON'] : []
  const received = upload && upload.as !== 'body' ? ['BAD_FORM'] : []
  const bounded = body || upload || raw ? ['BODY_TOO_LARGE'] : []
  const typed = body || upload ? ['UNSUPPORTED_MEDIA_TYPE'] : []
  const limited = isProbe(route) ? [] : ['RATE_LIMITED']
  const repeated = keepsReplies && isRepeatable(route) ? REPETITION_CODES : []
  const conditional = isConditional(route) ? ['PRECONDITION_FAILED'] : []
  const partial = stream === 'file' ? ['RANGE_NOT_SATISFIABLE'] : []
  return [
    ...guarded,
    ...identified,
    ...limited,
    ...parsed,
    ...received,
    ...bounded,
    ...typed,
    ...validated,
    ...repeated,
    ...conditional,
    ...partial,
    ...errors,
  ]
}

/** Bytes; `format` is what generators of clients know. */
const BINARY = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' }

const formOf = ({ max_files, fields = [] }: UploadSpec) => ({
  type: 'object',
  properties: {
    file: max_files ? { type: 'array', items: BINARY, minItems: 1, maxItems: max_files } : BINARY,
    ...Object.fromEntries(fields.map((name) => [name, { type: 'string' }])),
  },
  required: ['file'],
  additionalProperties: false,
})

/** Content of any media type; generators of clients need one that they know, so it comes first. */
const toAnyType = (schema: unknown): Json => ({
  'application/octet-stream': { schema: BINARY },
  '*/*': { schema },
})

/** Describes the body of a request by media type; undefined if it has none. */
function describeContent(
  { method, body, upload, raw }: Route,
  name: string,
  { describe }: Components,
): Json | undefined {
  if (raw) {
    const { media_type } = raw
    if (method === 'GET') return undefined
    return media_type ? { [media_type]: { schema: {} } } : { 'application/octet-stream': { schema: BINARY } }
  }
  if (upload?.as === 'body') return { 'application/octet-stream': { schema: BINARY } }
  if (!body && !upload) return undefined
  return {
    // First, because some generators make no code for a form behind another body.
    ...(upload && { 'multipart/form-data': { schema: formOf(upload) } }),
    ...(upload?.media_type && { [upload.media_type]: { schema: { type: 'string' } } }),
    ...(body && {
      'application/json': {
        schema: describe({ title: `${name}Body`, ...body }, name),
        example: createExample(body, { isRequest: true }),
      },
    }),
  }
}

/** True if a request may come without a body, which then counts as an empty object or an empty file. */
function isBodyOptional({ body, upload }: Route): boolean {
  if (upload?.as === 'body') return true
  const { type, required = [], minProperties = 0, oneOf, anyOf } = body ?? { minProperties: 1 }
  const isList = type === 'array'
  return !isList && (required as string[]).length === 0 && minProperties === 0 && !oneOf && !anyOf
}

/** True for a stream of bytes with a media type of their own; the schema describes all of them, or a line. */
const isOfBytes = (stream: Route['stream']) => stream === 'download' || stream === 'file'

/** A Response of the handler is JSON or a stream. */
const isStreamedOnly = (stream: Route['stream']) => stream !== undefined && stream !== 'response'

/** Of lists that come in pages. */
const LINK_HEADER = {
  Link: {
    description:
      'The address of the next page, `rel="next"`, relative to that of the request; missing on the last page',
    schema: { type: 'string' },
  },
}

const ETAG_HEADER = {
  ETag: {
    description: 'Changes with the settings of the object; see `If-Match`',
    schema: { type: 'string' },
  },
}

/** Refers to the schema of an error within a stream, which has the body of a reply. */
const anyErrorIn = (form: ErrorForm | undefined) => ({
  $ref: `#/components/schemas/${form?.name ?? ''}Error`,
})

/** The other replies with a file. */
const FILE_REPLIES = {
  206: { description: 'The range that was asked for', content: toAnyType(BINARY) },
  304: { description: 'The client has the file already' },
}

const describeEmpty = (status: number): string => {
  if (status === 304) return 'The client has this version already'
  return status < 300 ? 'Success, no body' : 'Redirect'
}

/** Describes a reply that is a text of its own media type, such as a page. */
const textOf = ({ contentMediaType }: { contentMediaType?: string }, schema: Json): Json | undefined =>
  contentMediaType === undefined ? undefined : { [contentMediaType]: { schema } }

function describeReplies(
  { response, stream, events, query, etag, raw }: Route,
  name: string,
  { describe }: Components,
  form: ErrorForm | undefined,
): Json {
  const isPaged = 'cursor' in ((query?.properties ?? {}) as Json)
  const headers = (isPaged || etag) && { headers: { ...(isPaged && LINK_HEADER), ...(etag && ETAG_HEADER) } }
  const replies = Object.entries(response).map(([status, schema]) => {
    if (!schema) return [status, { description: describeEmpty(Number(status)) }]
    const described = describe(schema, `${name}Reply`)
    const content =
      raw && !stream && schema.type !== 'object'
        ? toAnyType({})
        : {
            ...((!isStreamedOnly(stream) || events) && {
              'application/json': { schema: described, example: createExample(schema) },
            }),
            ...(isOfBytes(stream) && toAnyType(described)),
            ...((stream === 'events' || stream === 'response') && {
              'text/event-stream': {
                schema: events ? { anyOf: [describe(events, `${name}Event`), anyErrorIn(form)] } : described,
              },
            }),
          }
    const description = Number(status) < 300 ? 'Success' : 'Refused'
    return [status, { description, ...headers, content: textOf(schema, described as Json) ?? content }]
  })
  return { ...Object.fromEntries(replies), ...(stream === 'file' && FILE_REPLIES) }
}

/** Makes an operation id such as `getNotesById`, for routes that name none. */
export const deriveOperationId = (method: string, path: string) =>
  method.toLowerCase() + toPascalCase(path.replaceAll('/:', '/by-'))

/** Lists the parameters of a path, each as the route or one of its guards describes it. */
function listPathParameters({ path, params, guard }: Route, { guards }: DocumentParts): JSONSchema {
  const described: Json = Object.assign({}, ...listGuards(guard, guards).map((one) => one.params))
  Object.assign(described, params?.properties)
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const properties = names.map((name) => [name, described[name] ?? { type: 'string' }])
  return { properties: Object.fromEntries(properties), required: names }
}

const describeParameters = (
  location: 'path' | 'query',
  schema: JSONSchema | undefined,
  name: string,
  { describe }: Components,
) =>
  Object.entries((schema?.properties ?? {}) as Record<string, Json>).map(
    ([field, { description, ...property }]) => ({
      name: field,
      in: location,
      required: ((schema!.required ?? []) as string[]).includes(field),
      ...(description !== undefined && { description }),
      schema: describe(property, name + toPascalCase(field)),
    }),
  )
