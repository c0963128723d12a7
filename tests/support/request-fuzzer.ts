import type { JSONSchema } from '../../kernel/schema.ts'
import {
  mutate,
  pickHeader,
  pickJson,
  pickMalformed,
  pickSegment,
  pickText,
  writeJson,
} from './hostile-values.ts'
import type { Chance } from './random.ts'
import { createSchemaValues } from './schema-values.ts'

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header' | 'cookie'
  schema: JSONSchema
}

/** An operation of the OpenAPI document. */
export interface FuzzedOperation {
  /** `METHOD /path`, with parameters as in routes: `/agents/:id`. */
  name: string
  method: string
  path: string
  parameters: readonly Parameter[]
  /** The schemas of its body by media type. */
  bodies: Record<string, JSONSchema>
  /** The faults of upstreams and storage that the document names. */
  faults: readonly number[]
  /** True if its reply may be an endless stream. */
  isStream: boolean
}

/** A request, as it is sent. */
export interface FuzzedRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Buffer | undefined
}

/** Valid parts of a request that names existing things. */
export interface RequestSeed {
  params: Record<string, string>
  body?: unknown
}

// biome-ignore lint/suspicious/noExplicitAny: the form of an OpenAPI document
type Document = any

const METHODS = ['get', 'put', 'post', 'delete', 'patch']

/** Lists the operations of an OpenAPI document. */
export const operationsOf = ({ paths }: Document): FuzzedOperation[] =>
  Object.entries<Document>(paths).flatMap(([template, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const { parameters = [], requestBody, responses } = item[method]
      const path = template.replace(/\{(\w+)\}/g, ':$1')
      const bodies = Object.entries<Document>(requestBody?.content ?? {})
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: [...(item.parameters ?? []), ...parameters],
        bodies: Object.fromEntries(bodies.map(([type, { schema = {} }]) => [type, schema])),
        faults: Object.keys(responses)
          .map(Number)
          .filter((status) => status > 500),
        isStream: Object.values<Document>(responses).some(({ content }) => content?.['text/event-stream']),
      }
    }),
  )

/** Lists the schemas of the frames that the sockets of an AsyncAPI document receive. */
export const framesOf = ({ operations, channels, components }: Document): JSONSchema[] =>
  Object.values<Document>(operations)
    .filter(({ action }) => action === 'receive')
    .flatMap(({ messages }) =>
      messages.map(({ $ref }: { $ref: string }) => {
        const [, , channel, , key] = $ref.split('/')
        const target: string = channels[channel!].messages[key!].$ref
        return components.messages[target.split('/').at(-1)!].payload
      }),
    )

/** Headers with a meaning to the server. */
const HEADERS = [
  ...[
    'if-match',
    'if-none-match',
    'if-modified-since',
    'if-range',
    'range',
    'idempotency-key',
    'last-event-id',
  ],
  ...['accept', 'accept-language', 'accept-encoding', 'content-encoding', 'content-type', 'cookie', 'origin'],
  ...['x-request-id', 'x-forwarded-host', 'x-forwarded-proto', 'user-agent', 'referer', 'traceparent'],
  ...['x-http-method-override', 'mcp-session-id', 'mcp-protocol-version', 'sec-fetch-site', '__proto__'],
]
const HEADER_VALUES = [
  ...['*', '"a"', 'W/"0"', 'bytes=0-', 'bytes=5-1,-0,0-99999999999999999999', 'gzip, br;q=NaN', 'zh;q=1e9'],
  ...[
    'application/json; charset=utf-7',
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'text/plain',
  ],
  ...['00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-ff', '{"$ne":1}', 'x'.repeat(2000)],
]
const QUERY_NAMES = ['__proto__[role]', 'constructor[prototype][role]', 'limit[$gt]', '$where', 'a.b', '']

/** Creates requests from the documents: valid ones, in which some parts are replaced. */
export function createRequestFuzzer(documents: readonly Document[], chance: Chance, url: string) {
  const schemas = Object.assign({}, ...documents.map(({ components }) => components.schemas))
  const values = createSchemaValues(schemas, chance, url)
  const encode = (text: string) => encodeURIComponent(text.toWellFormed())

  const createQuery = ({ parameters }: FuzzedOperation): string => {
    const pairs = parameters
      .filter((parameter) => parameter.in === 'query' && chance.chance(0.5))
      .flatMap(({ name, schema }) => {
        const value = chance.chance(0.5) ? values.create(schema) : pickText(chance).slice(0, 4000)
        const key = chance.chance(0.1) ? chance.pick([`${name}[$ne]`, `${name}[]`, `${name}.$gt`]) : name
        const pair = `${encode(key)}=${encode(String(value))}`
        return chance.chance(0.1) ? [pair, pair] : [pair]
      })
    if (chance.chance(0.1))
      pairs.push(`${encode(chance.pick(QUERY_NAMES))}=${encode(pickText(chance).slice(0, 900))}`)
    return pairs.length > 0 ? `?${pairs.join('&')}` : ''
  }

  const createHeaders = ({ parameters }: FuzzedOperation): Record<string, string> => {
    const names = parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name)
    const own = names.filter(() => chance.chance(0.3))
    const others = chance.chance(0.25) ? chance.list(1, 3, () => chance.pick(HEADERS)) : []
    const pick = () => (chance.chance(0.5) ? chance.pick(HEADER_VALUES) : pickHeader(chance))
    return Object.fromEntries([...own, ...others].map((name) => [name.toLowerCase(), pick()]))
  }

  const createForm = (fields: unknown): Buffer => {
    const quote = (text: string) =>
      text
        .toWellFormed()
        .replace(/["\r\n]/g, '_')
        .slice(0, 3000)
    const names = [
      'file',
      'file',
      'file',
      '__proto__',
      'constructor',
      'a[$ne]',
      '',
      ...Object.keys(Object(fields)),
    ]
    const parts = chance.list(0, 4, () => {
      const file = chance.chance(0.6) ? `; filename="${quote(pickText(chance))}.txt"` : ''
      const type = file ? `\r\nContent-Type: ${chance.pick(['text/plain', 'application/zip', 'x', ''])}` : ''
      const content = chance.pick([
        'PK\u0003\u0004',
        '%PDF-1.7',
        '---\n__proto__: {a: 1}\n---\n',
        pickText(chance),
      ])
      const name = chance.pick(names)
      return `--fuzz\r\nContent-Disposition: form-data; name="${quote(name)}"${file}${type}\r\n\r\n${content}\r\n`
    })
    return Buffer.from(
      `${parts.join('')}${chance.chance(0.85) ? '--fuzz--\r\n' : '--fuzz\r\n'}`.toWellFormed(),
    )
  }

  const createBody = (
    { bodies }: FuzzedOperation,
    body: unknown,
  ): { type?: string; content?: string | Buffer } => {
    const [type, schema] =
      chance.pick([...Object.entries(bodies), ...(body ? Object.entries(bodies) : [])]) ?? []
    if (!type)
      return chance.chance(0.1) ? { type: 'application/json', content: writeJson(pickJson(chance)) } : {}
    if (type === 'multipart/form-data')
      return { type: 'multipart/form-data; boundary=fuzz', content: createForm(body) }
    if (type === 'application/octet-stream')
      return { type, content: Buffer.from(pickText(chance).toWellFormed()) }
    const mediaType = type === '*/*' ? 'application/json' : type
    if (chance.chance(0.06)) return { type: mediaType, content: pickMalformed(chance) }
    const valid = body !== undefined && chance.chance(0.6) ? body : values.create(schema)
    return { type: mediaType, content: writeJson(chance.chance(0.85) ? mutate(valid, chance) : valid) }
  }

  return {
    /** Creates a request to an operation; `seed` has valid parts to begin with. */
    create(operation: FuzzedOperation, { params, body }: RequestSeed): FuzzedRequest {
      const path = operation.path.replace(/:(\w+)/g, (_, name) =>
        params[name] === undefined || chance.chance(0.12) ? pickSegment(chance) : encode(params[name]),
      )
      const { type, content } = createBody(operation, body)
      return {
        method: operation.method,
        path: `/api${path}${createQuery(operation)}`,
        headers: { ...(type && { 'content-type': type }), ...createHeaders(operation) },
        body: content,
      }
    },

    /** Creates the text of a frame. */
    createFrame(schema: JSONSchema, realFields: Record<string, unknown>): string {
      if (chance.chance(0.05)) return pickMalformed(chance)
      const valid = values.create(schema) as Record<string, unknown>
      for (const name of Object.keys(realFields))
        if (name in valid && chance.chance(0.8)) valid[name] = realFields[name]
      return writeJson(chance.chance(0.85) ? mutate(valid, chance) : valid)
    },
  }
}
