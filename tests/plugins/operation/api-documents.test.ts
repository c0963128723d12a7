import { readBlueprint } from '../../../kernel/loading/blueprint.ts'
import { describeAsyncApi } from '../../../plugins/operation/api-docs/documents/asyncapi.ts'
import { describeApi } from '../../../plugins/operation/api-docs/documents/openapi.ts'
import t, { type Test } from '../../run/file-test.ts'
import { lint } from '../../support/api-linter.ts'
import { createHome } from '../../support/kernel.ts'

// Not among the kernel's tests: with their coverage, the linter takes twice as long.

const blueprint = await readBlueprint({ home: createHome(t), env: {} })

t.test('the OpenAPI document has no fault but the paths that the specification has set', async (t) => {
  const faults = await lint(describeApi(blueprint))
  t.strictSame(
    faults.filter((fault) => !fault.includes('/agents/from-expert/{expert_id}')),
    [],
  )
})

t.test('generators of clients find a name for each schema, and a media type that they know', (t) => {
  type Json = Record<string, unknown>
  const { paths, components } = describeApi(blueprint) as unknown as {
    paths: Record<string, Record<string, { requestBody?: { content: Json }; responses: Json }>>
    components: { schemas: Record<string, Json>; responses: Json }
  }
  const owners = new Map<string, string>()
  /** Claims the name of a class, for which generators do not tell upper case from lower case. */
  const claim = (name: string, location: string) => {
    const key = name.replace(/[^a-zA-Z0-9]/g, '').toLowerCase()
    t.notOk(owners.get(key), `${location} has the name of ${owners.get(key)}`)
    owners.set(key, location)
  }
  /** Claims the names that generators make of the places of schemas without one. */
  const walk = (schema: Json, name: string, location: string): void => {
    const isNamed = schema.properties !== undefined || (schema.enum as unknown[] | undefined)?.length
    if (location.includes('.') && isNamed) claim(name, location)
    const { properties = {}, items, oneOf = [], anyOf = [] } = schema as Record<string, Json>
    for (const [field, part] of Object.entries(properties))
      walk(part as Json, `${name}${field}`, `${location}.${field}`)
    if (items) walk(items, `${name}Item`, `${location}.[]`)
    for (const [index, part] of [...(oneOf as unknown as Json[]), ...(anyOf as unknown as Json[])].entries())
      walk(part, `${name}Type${index}`, `${location}.${index}`)
  }
  for (const name of Object.keys(components.schemas)) claim(name, name)
  for (const [name, schema] of Object.entries(components.schemas)) walk(schema, name, name)

  // Names of classes in the runtime of generated clients.
  for (const name of [
    'ResponseError',
    'FetchError',
    'RequiredError',
    'ApiResponse',
    'Configuration',
    'BaseAPI',
  ])
    t.notOk(owners.get(name.toLowerCase()), name)

  const portable = /^(application\/(json|octet-stream)|multipart\/form-data|text\/[a-z-]+)$/
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { requestBody, responses }] of Object.entries(operations)) {
      const operation = `${method} ${path}`
      if (requestBody) t.notOk(method === 'get', `${operation} has no body`)
      for (const type of Object.keys(requestBody?.content ?? {})) t.match(type, portable, operation)
      for (const { content } of Object.values(responses) as { content?: Json }[])
        if (content) t.match(Object.keys(content)[0], portable, operation)
    }
  t.end()
})

t.test('the AsyncAPI document has no fault', async (t) => {
  t.strictSame(await lint(describeAsyncApi(blueprint)), [])
})

/** A sound OpenAPI document with one operation. */
const openApi = () => ({
  openapi: '3.1.0',
  info: { title: 'Items', version: '1', license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: '/api' }],
  tags: [{ name: 'Items', description: 'Things' }],
  security: [{ bearer: [] as string[] }],
  paths: {
    '/items/{id}': {
      put: {
        operationId: 'setItem',
        summary: 'Sets an item',
        tags: ['Items'],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        requestBody: {
          content: {
            'application/json': { schema: { $ref: '#/components/schemas/Item' }, example: { name: 'a' } },
          },
        },
        responses: { 200: { description: 'Set' }, 400: { description: 'Refused' } },
      },
    } as Record<string, object>,
  },
  components: {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Item: { type: 'object', properties: { name: { type: 'string', default: 'a' } } },
    },
  },
})

/** A sound AsyncAPI document with one channel. */
const asyncApi = () => ({
  asyncapi: '3.0.0',
  info: { title: 'Items', version: '1', license: { name: 'MIT', url: 'https://example.org' } },
  servers: { sockets: { host: 'localhost', protocol: 'ws' } },
  channels: {
    items: {
      address: '/items/{id}',
      servers: [{ $ref: '#/servers/sockets' }],
      parameters: { id: {} } as Record<string, object>,
      bindings: { ws: { method: 'GET' } },
      messages: { Item: { $ref: '#/components/messages/Item' } } as Record<string, object>,
    },
  },
  operations: {
    sendItem: {
      action: 'send',
      channel: { $ref: '#/channels/items' },
      messages: [{ $ref: '#/channels/items/messages/Item' }],
      security: [{ $ref: '#/components/securitySchemes/bearer' }],
    },
  },
  components: {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    messages: { Item: { payload: { $ref: '#/components/schemas/Item' }, examples: [{ payload: {} }] } },
    schemas: { Item: { type: 'object', discriminator: 'kind', properties: { kind: { type: 'string' } } } },
  },
})

/** Breaks a copy of a sound document in each way, and expects a fault of the rule. */
async function expectFaults<Document extends object>(
  t: Test,
  create: () => Document,
  cases: [title: string, rule: string, breakIt: (document: Document) => unknown][],
) {
  t.strictSame(await lint(create()), [])
  for (const [title, rule, breakIt] of cases) {
    const document = create()
    breakIt(document)
    t.match(await lint(document), [new RegExp(`^${rule}: `)], title)
  }
}

t.test('the linter finds the faults of a broken OpenAPI document', async (t) => {
  type Document = ReturnType<typeof openApi>
  // biome-ignore lint/suspicious/noExplicitAny: the cases put wrong types into the document
  const put = ({ paths }: Document): any => paths['/items/{id}'].put
  const name = ({ components }: Document): object => components.schemas.Item.properties.name
  await expectFaults(t, openApi, [
    ['an unknown keyword', 'struct', (document) => Object.assign(put(document), { operationID: 'a' })],
    [
      'a keyword of the wrong type',
      'struct',
      (document) => Object.assign(name(document), { minLength: 'a' }),
    ],
    [
      'an unknown type',
      'struct',
      ({ components }) => Object.assign(components.schemas.Item, { type: 'objekt' }),
    ],
    ['a missing keyword', 'struct', (document) => delete put(document).responses[200].description],
    [
      'a dangling reference',
      'no-unresolved-refs',
      (document) =>
        Object.assign(put(document).responses, { 404: { $ref: '#/components/responses/Missing' } }),
    ],
    [
      'an operation id that is used twice',
      'operation-operationId-unique',
      ({ paths }) =>
        Object.assign(paths, {
          '/items': { get: { ...openApi().paths['/items/{id}'].put, parameters: [] } },
        }),
    ],
    [
      'a path parameter without declaration',
      'path-parameters-defined',
      (document) => put(document).parameters.pop(),
    ],
    [
      'a path parameter that is not required',
      'svc/required-path-parameters',
      (document) => delete put(document).parameters[0].required,
    ],
    [
      'an example that does not fit its schema',
      'no-invalid-media-type-examples',
      (document) =>
        Object.assign(put(document).requestBody.content['application/json'], { example: { name: 1 } }),
    ],
    [
      'a default that does not fit its schema',
      'svc/valid-defaults',
      (document) => Object.assign(name(document), { default: 1 }),
    ],
    [
      'a value that does not fit its type',
      'no-enum-type-mismatch',
      (document) => Object.assign(name(document), { enum: ['a', 1] }),
    ],
    [
      'a tag that is not declared',
      'operation-tag-defined',
      ({ tags }) => Object.assign(tags[0]!, { name: 'Other' }),
    ],
    [
      'a security scheme that is not declared',
      'security-defined',
      (document) => Object.assign(put(document), { security: [{ cookie: [] }] }),
    ],
    [
      'a component that is not used',
      'no-unused-components',
      ({ components }) => Object.assign(components.schemas, { Other: { type: 'string' } }),
    ],
  ])
})

t.test('the linter finds the faults of a broken AsyncAPI document', async (t) => {
  await expectFaults(t, asyncApi, [
    ['an unknown keyword', 'struct', ({ channels }) => Object.assign(channels.items, { adress: '/' })],
    [
      'a keyword of the wrong type',
      'struct',
      ({ channels }) => Object.assign(channels.items, { address: 1 }),
    ],
    [
      'an unknown action',
      'struct',
      ({ operations }) => Object.assign(operations.sendItem, { action: 'push' }),
    ],
    [
      'an unknown keyword of a binding',
      'struct',
      ({ channels }) => Object.assign(channels.items.bindings.ws, { path: '/' }),
    ],
    [
      'a discriminator as in OpenAPI',
      'struct',
      ({ components }) => Object.assign(components.schemas.Item, { discriminator: { propertyName: 'kind' } }),
    ],
    [
      'a channel that does not exist',
      'no-unresolved-refs',
      ({ operations }) =>
        Object.assign(operations.sendItem, { channel: { $ref: '#/channels/others' }, messages: [] }),
    ],
    [
      'a message that does not exist',
      'no-unresolved-refs',
      ({ channels }) =>
        Object.assign(channels.items.messages, { Other: { $ref: '#/components/messages/Other' } }),
    ],
    [
      'a message that the channel lacks',
      'svc/messages-of-channel',
      ({ operations }) =>
        Object.assign(operations.sendItem, { messages: [{ $ref: '#/components/messages/Item' }] }),
    ],
    [
      'a parameter without declaration',
      'svc/channel-parameters',
      ({ channels }) => delete channels.items.parameters.id,
    ],
    [
      'a parameter that the address lacks',
      'svc/channel-parameters',
      ({ channels }) => Object.assign(channels.items.parameters, { other: {} }),
    ],
    [
      'a security scheme that does not exist',
      'no-unresolved-refs',
      ({ operations }) =>
        Object.assign(operations.sendItem, { security: [{ $ref: '#/components/securitySchemes/cookie' }] }),
    ],
  ])
})
