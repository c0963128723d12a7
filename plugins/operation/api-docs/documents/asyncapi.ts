import { isDeepStrictEqual } from 'node:util'
import {
  type Blueprint,
  type FrameSchemas,
  type GuardUse,
  type JSONSchema,
  type Route,
  type Socket,
  withType,
} from '#plugin-api'
import { type Components, createComponents, isName, toPascalCase } from './components.ts'
import { ANY_CODE, describeErrorFields } from './error-responses.ts'
import { createExample } from './example.ts'
import { tagOf } from './openapi.ts'
import { deriveOperationId, describeGuard, toPathTemplate } from './operation.ts'
import { closesOf, describeRules, type Settings } from './socket-rules.ts'

type Json = Record<string, unknown>

/** An action of the server, as the document sees it. */
type Action = 'receive' | 'send'

/** A frame or an event by its type; the schema includes the type. */
interface Message {
  type: string
  schema: JSONSchema
}

/** A socket or an event stream, with its frames. */
interface Channel {
  name: string
  guard: GuardUse
  fields: Json
  frames: { [Key in Action]?: Message[] }
  operation: Json
}

const INTRODUCTION = `The WebSockets and event streams of this server: everything that it sends by itself. All other
calls, and the requests that open the streams, are in the OpenAPI document at \`/api/openapi.json\`.

The actions are those of the server: it *receives* what clients send, and *sends* what clients read.`

const ERROR = {
  ...describeErrorFields(ANY_CODE),
  description: 'Says why a frame was refused; after an error event, the stream ends.',
}

/** The last event of a stream whose events have no names: the body that the error would have as a reply. */
const FAILED_EVENT: Message = {
  type: 'event',
  schema: {
    title: 'StreamFailure',
    type: 'object',
    properties: { error: describeErrorFields(ANY_CODE) },
    required: ['error'],
    description: 'Says why the stream ends.',
  },
}

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The header `Authorization: Bearer <token>` with an access token',
  },
  subprotocol: {
    type: 'httpApiKey',
    name: 'Sec-WebSocket-Protocol',
    in: 'header',
    description:
      'For browsers: offer the subprotocols `svc` and `bearer.<token>`. The server confirms `svc`.',
  },
  query: {
    type: 'httpApiKey',
    name: 'token',
    in: 'query',
    description: 'The access token as a parameter, for clients that can set neither headers nor subprotocols',
  },
}

/** Describes the sockets and event streams of all plugins as AsyncAPI 3, from the declarations that also validate. */
export function describeAsyncApi({ plugins, config, version }: Blueprint): Json {
  const components = createComponents()
  const guards = new Map(plugins.flatMap(({ declarations }) => [...declarations.guards]))
  const messages: Json = {}
  const channels: Json = {}
  const operations: Json = {}
  const tags: Json = {}
  for (const { plugin, declarations } of plugins) {
    const { name: tag, description } = tagOf(plugin)
    const described = [
      ...declarations.sockets.map((socket) => describeSocket(socket, config.values)),
      ...declarations.routes.filter(({ stream }) => stream === 'events').map(describeStream),
    ]
    for (const { name, guard, fields, frames, operation } of described) {
      const references: Json = {}
      for (const [action, list] of Object.entries(frames)) {
        const keys = list.map((frame) => addMessage(frame, `${name}_${action}`, messages, components))
        for (const key of keys) references[key] = { $ref: `#/components/messages/${key}` }
        operations[`${name}_${action}`] = {
          action,
          channel: { $ref: `#/channels/${name}` },
          messages: keys.map((key) => ({ $ref: `#/channels/${name}/messages/${key}` })),
          ...operation,
        }
      }
      const words = [describeGuard(guard, guards), fields.description].filter(Boolean).join('\n\n')
      channels[name] = {
        ...fields,
        description: words,
        ...(guard !== 'public' && { 'x-guard': guard }),
        tags: [{ name: tag }],
        messages: references,
      }
      tags[tag] = { name: tag, description }
    }
  }
  const { schemas } = components
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Agent Platform Service',
      version,
      description: INTRODUCTION,
      tags: Object.values(tags),
    },
    servers: describeServers(config.values),
    defaultContentType: 'application/json',
    channels,
    operations,
    components: { schemas, messages, securitySchemes: SECURITY_SCHEMES },
  }
}

/** Describes the addresses of the sockets and the streams. */
function describeServers({ http: { public_url } }: Settings): Json {
  const url = public_url === undefined ? undefined : new URL(public_url)
  const secure = url?.protocol === 'https:' ? 's' : ''
  const address = {
    host: url?.host ?? '{host}',
    pathname: '/api',
    ...(!url && {
      variables: { host: { default: '127.0.0.1:8088', description: 'The address of the server' } },
    }),
  }
  return {
    sockets: { ...address, protocol: `ws${secure}`, description: 'WebSockets' },
    streams: { ...address, protocol: `http${secure}`, description: 'Server-sent events' },
  }
}

const toObject = (properties: Json) => ({ type: 'object', properties })

const TOKEN_QUERY = { token: { type: 'string', description: SECURITY_SCHEMES.query.description } }

const TOKEN_HEADERS = {
  Authorization: { type: 'string', description: SECURITY_SCHEMES.bearer.description },
  'Sec-WebSocket-Protocol': { type: 'string', description: SECURITY_SCHEMES.subprotocol.description },
}

function describeSocket(socket: Socket, config: Settings): Channel {
  const { path, operation_id, summary, description, guard, receive, send } = socket
  const closes = closesOf(socket)
  return {
    name: operation_id ?? deriveOperationId('open', path),
    guard,
    fields: {
      address: toPathTemplate(path),
      summary,
      description: [description, describeRules(config), tableOf(closes)].filter(Boolean).join('\n\n'),
      servers: [{ $ref: '#/servers/sockets' }],
      ...parametersOf(path),
      bindings: {
        ws: {
          method: 'GET',
          ...(guard !== 'public' && { query: toObject(TOKEN_QUERY), headers: toObject(TOKEN_HEADERS) }),
          bindingVersion: '0.1.0',
        },
      },
      'x-closes': closes,
    },
    frames: {
      receive: listFrames(receive),
      // Every socket answers a frame that it refuses.
      send: listFrames({ ...send, error: send.error ?? { title: 'SocketError', ...ERROR } }),
    },
    operation: securityBy(guard, ['bearer', 'subprotocol', 'query']),
  }
}

const listFrames = (frames: FrameSchemas): Message[] =>
  Object.entries(frames).map(([type, schema]) => ({ type, schema: withType(type, schema) }))

const tableOf = (closes: Record<number, string>) =>
  ['### Close codes', '', '| Code | Meaning |', '|---|---|']
    .concat(Object.entries(closes).map(([code, meaning]) => `| ${code} | ${meaning} |`))
    .join('\n')

function describeStream({
  method,
  path,
  operation_id,
  summary,
  guard,
  query,
  response,
  events,
}: Route): Channel {
  const name = operation_id ?? deriveOperationId(method, path)
  const [schema] = events ? [events] : (Object.values(response) as [JSONSchema])
  return {
    name,
    guard,
    fields: {
      address: toPathTemplate(path),
      summary,
      description: `The reply to \`${method} ${toPathTemplate(path)}\`; its parameters, body and refusals are those of \`${name}\` in the OpenAPI document. ${events ? OF_FINITE_STREAM : OF_STREAM}`,
      servers: [{ $ref: '#/servers/streams' }],
      ...parametersOf(path),
    },
    frames: {
      send: [
        ...listEvents(schema),
        events ? FAILED_EVENT : { type: 'error', schema: { title: 'StreamError', ...ERROR } },
      ],
    },
    operation: {
      ...securityBy(guard, ['bearer']),
      bindings: { http: { method, ...(query && { query }), bindingVersion: '0.3.0' } },
    },
  }
}

const OF_STREAM =
  'Each event has the type of its message as `event` and one JSON object as `data`. Comments keep an idle stream open. An event `error` that has nothing but an error ends the stream.'
const OF_FINITE_STREAM =
  'Each event has one JSON object as `data`. Comments keep an idle stream open. An object with `error` ends the stream.'

/** Divides the events of a stream by the type in their data, if it tells them apart. */
function listEvents(schema: JSONSchema): Message[] {
  const events = ((schema.oneOf ?? []) as JSONSchema[]).map((member) => {
    const { type } = (member.properties ?? {}) as Record<string, JSONSchema>
    return { type: type?.const as string, schema: member }
  })
  const isDivided = events.length > 0 && events.every(({ type }) => typeof type === 'string')
  return isDivided ? events : [{ type: 'event', schema }]
}

const securityBy = (guard: GuardUse, schemes: (keyof typeof SECURITY_SCHEMES)[]): Json =>
  guard === 'public'
    ? {}
    : { security: schemes.map((name) => ({ $ref: `#/components/securitySchemes/${name}` })) }

const parametersOf = (path: string) => {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => [name!, {}])
  return names.length > 0 && { parameters: Object.fromEntries(names) }
}

/** Adds a message to the messages of the document and returns its name there: its title, or a name of its own. */
function addMessage(
  { type, schema }: Message,
  scope: string,
  messages: Json,
  { describe }: Components,
): string {
  const { title, description } = schema
  const ownName = `${scope}_${type.replace(/[^\w.-]/g, '_')}`
  const examples = (schema.examples as unknown[] | undefined) ?? [createExample(schema, { isRequest: true })]
  const message = {
    name: type,
    title: title ?? type,
    ...(description !== undefined && { summary: description }),
    payload: describe(toDraft7(schema), toPascalCase(ownName)),
    examples: examples.map((payload) => ({ payload })),
  }
  const isFree = isDeepStrictEqual(messages[title as string] ?? message, message)
  const name = isName(title) && isFree ? title : ownName
  messages[name] = message
  return name
}

/** Writes a schema for AsyncAPI, whose discriminator is the name of the property. */
function toDraft7(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toDraft7)
  if (typeof schema !== 'object' || schema === null) return schema
  const copy = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, toDraft7(part)]))
  const { propertyName } = (copy.discriminator ?? {}) as Json
  return typeof propertyName === 'string' ? { ...copy, discriminator: propertyName } : copy
}
