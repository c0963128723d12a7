import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { fakeTool, startFakeMcp } from '../../support/fake-mcp.ts'

type Json = Record<string, unknown>

/** A schema as a server sends it, and as a model is shown it. */
interface Case {
  schema: unknown
  properties: Json
  required?: string[]
  /** Arguments that reach the server. */
  accepted?: Json[]
  /** Arguments that do not reach it, with the sentence that the model reads. */
  refused?: [Json, RegExp][]
}

const text = { type: 'string' }
const number = { type: 'number' }
const object = (properties: Json, more: Json = {}) => ({ type: 'object', properties, ...more })
/** The keywords of a condition. */
const condition = (positive: Json | undefined, negative?: Json): Json =>
  Object.fromEntries([
    ['if', {}],
    ...[['then', positive] as const, ['else', negative] as const].filter((entry) => entry[1]),
  ])
const pointer = (names: string, name: string) => ({
  type: 'object',
  properties: { it: { $ref: `#/$defs/${names}` } },
  $defs: { [name]: text },
})

const create = object({ action: { const: 'create' }, title: text }, { required: ['action', 'title'] })
const update = object({ action: { const: 'update' }, id: text }, { required: ['action', 'id'] })
const actions = { action: { enum: ['create', 'update'] }, title: text, id: text }
const actionChecks: Pick<Case, 'accepted' | 'refused'> = {
  accepted: [
    { action: 'create', title: 'x' },
    { action: 'update', id: '7' },
  ],
  refused: [
    [{ action: 'create' }, /the closest: input must have required property 'title'/],
    [{ action: 'update' }, /the closest: input must have required property 'id'/],
    [{ action: 'remove', id: '7' }, /must be "update"/],
  ],
}

const cases: Record<string, Case> = {
  // Closed schemas, whose other parts have properties, too.
  'a closed union': {
    schema: {
      anyOf: [object({ city: text }, { required: ['city'] }), object({ id: number }, { required: ['id'] })],
      additionalProperties: false,
    },
    properties: { city: text, id: number },
    accepted: [{ city: 'Oslo' }, { id: 7 }],
    refused: [
      [{ town: 'Oslo' }, /input must not have the property 'town'/],
      [{ city: 7 }, /must fit one of the schemas of anyOf/],
    ],
  },
  'a closed intersection of closed schemas': {
    schema: object(
      { a: text },
      {
        allOf: [
          object({ b: text }, { additionalProperties: false }),
          object({ c: text }, { additionalProperties: false }),
        ],
        additionalProperties: false,
      },
    ),
    properties: { a: text, b: text, c: text },
    accepted: [{ a: 'x', b: 'x', c: 'x' }],
    refused: [
      [{ d: 'x' }, /must not have the property 'd'/],
      [{ c: 7 }, /\/c must be string/],
    ],
  },
  'closed alternatives beside properties': {
    schema: object(
      { a: text },
      {
        oneOf: [
          object({ b: text }, { required: ['b'], additionalProperties: false }),
          object({ c: text }, { required: ['c'], additionalProperties: false }),
        ],
      },
    ),
    properties: { a: text, b: text, c: text },
    accepted: [
      { a: 'x', b: 'x' },
      { a: 'x', c: 'x' },
    ],
    refused: [[{ a: 'x', b: 'x', c: 'x' }, /must fit one of the schemas of oneOf/]],
  },
  'other properties beside alternatives': {
    schema: object({ a: text }, { anyOf: [object({ n: number })], additionalProperties: text }),
    properties: { a: text, n: number },
    accepted: [{ n: 7, more: 'x' }],
    refused: [[{ more: 7 }, /\/more must be string/]],
  },
  'a type that is an odd object': {
    schema: object({ it: { type: { toString: 1 }, description: 'It.' } }),
    properties: { it: { description: 'It.' } },
    accepted: [{ it: 'x' }],
  },
  // Unions and intersections at the top.
  oneOf: {
    schema: { type: 'object', oneOf: [create, update] },
    properties: actions,
    required: ['action'],
    ...actionChecks,
  },
  anyOf: {
    schema: { type: 'object', anyOf: [create, update] },
    properties: actions,
    required: ['action'],
    ...actionChecks,
  },
  'a union without a type': {
    schema: { oneOf: [create, update] },
    properties: actions,
    required: ['action'],
    ...actionChecks,
  },
  'a union of references': {
    schema: { oneOf: [{ $ref: '#/$defs/create' }, { $ref: '#/$defs/update' }], $defs: { create, update } },
    properties: actions,
    required: ['action'],
    ...actionChecks,
  },
  'a discriminator': {
    schema: {
      oneOf: [create, update],
      discriminator: { propertyName: 'action', mapping: { create: '#/x' } },
    },
    properties: actions,
    required: ['action'],
    ...actionChecks,
  },
  'listed discriminators': {
    schema: {
      oneOf: [
        object({ kind: { type: 'string', enum: ['a', 'b'] }, x: number }, { required: ['kind'] }),
        object({ kind: { type: 'string', enum: ['b', 'c'] }, y: number }, { required: ['kind'] }),
      ],
    },
    properties: { kind: { type: 'string', enum: ['a', 'b', 'c'] }, x: number, y: number },
    required: ['kind'],
    refused: [[{ kind: 'd' }, /must be one of "a", "b"/]],
  },
  'a union whose kinds differ': {
    schema: { anyOf: [object({ id: text }), object({ id: number })] },
    properties: { id: { anyOf: [text, number] } },
    accepted: [{ id: 'a' }, { id: 1 }],
    refused: [[{ id: true }, /id must be string/]],
  },
  'a union beside properties': {
    schema: object(
      { place: text },
      { required: ['place'], anyOf: [object({ at: text }), object({ on: text })] },
    ),
    properties: { place: text, at: text, on: text },
    required: ['place'],
    refused: [[{ at: 'x' }, /required property 'place'/]],
  },
  'a union that only requires': {
    schema: object(
      { a: text, b: text, c: text },
      { anyOf: [{ required: ['a', 'b'] }, { required: ['a', 'c'] }] },
    ),
    properties: { a: text, b: text, c: text },
    required: ['a'],
    refused: [[{ b: 'x' }, /required property/]],
  },
  allOf: {
    schema: { allOf: [object({ a: text }, { required: ['a'] }), object({ b: text }, { required: ['b'] })] },
    properties: { a: text, b: text },
    required: ['a', 'b'],
    refused: [[{ a: 'x' }, /required property 'b'/]],
  },
  'allOf that only requires': {
    schema: object({ a: text }, { allOf: [{ required: ['a'] }] }),
    properties: { a: text },
    required: ['a'],
  },
  'allOf with a base': {
    schema: {
      allOf: [{ $ref: '#/definitions/Base' }, object({ b: text })],
      definitions: { Base: object({ a: text }, { required: ['a'] }) },
    },
    properties: { a: text, b: text },
    required: ['a'],
  },
  'nested unions': {
    schema: {
      anyOf: [{ oneOf: [object({ a: text }), object({ b: text })] }, { allOf: [object({ c: text })] }],
    },
    properties: { a: text, b: text, c: text },
  },
  'a union with null': {
    schema: { anyOf: [object({ a: text }), { type: 'null' }] },
    properties: { a: text },
  },
  'a union with closed parts': {
    schema: {
      type: 'object',
      additionalProperties: false,
      oneOf: [object({ a: text }), object({ b: text })],
    },
    properties: { a: text, b: text },
  },
  'then and else': {
    schema: object(
      { kind: text },
      {
        required: ['kind'],
        ...condition(object({ a: text }, { required: ['a'] }), object({ b: text }, { required: ['b'] })),
        if: { properties: { kind: { const: 'a' } } },
      },
    ),
    properties: { kind: text, a: text, b: text },
    required: ['kind'],
    accepted: [
      { kind: 'a', a: 'x' },
      { kind: 'b', b: 'x' },
    ],
  },
  'only then': {
    schema: object({ kind: text }, condition({ properties: { a: text }, required: ['a'] })),
    properties: { kind: text, a: text },
    accepted: [{ kind: 'b' }],
  },
  'conditions in allOf': {
    schema: object(
      { kind: text },
      {
        allOf: [condition({ properties: { a: text } }), condition(undefined, { properties: { b: text } })],
      },
    ),
    properties: { kind: text, a: text, b: text },
  },
  'dependent schemas': {
    schema: object(
      { card: text },
      { dependentSchemas: { card: { properties: { address: text }, required: ['address'] } } },
    ),
    properties: { card: text, address: text },
    accepted: [{}],
  },
  'dependencies of draft 7': {
    schema: object(
      { card: text },
      { dependencies: { card: { properties: { address: text } }, address: ['card'] } },
    ),
    properties: { card: text, address: text },
  },

  // References.
  'a reference at the top': {
    schema: { $ref: '#/$defs/Input', $defs: { Input: object({ a: text }, { required: ['a'] }) } },
    properties: { a: text },
    required: ['a'],
    refused: [[{ a: 1 }, /a must be string/]],
  },
  'definitions of draft 7': {
    schema: { type: 'object', properties: { it: { $ref: '#/definitions/It' } }, definitions: { It: text } },
    properties: { it: text },
  },
  'an encoded name': { schema: pointer('Page%3CUser%3E', 'Page<User>'), properties: { it: text } },
  'a name that stays encoded': {
    schema: pointer('Page%3CUser%3E', 'Page%3CUser%3E'),
    properties: { it: text },
  },
  'a name that is not encoded': { schema: pointer('Page<User>', 'Page<User>'), properties: { it: text } },
  'a slash in a name': { schema: pointer('a~1b', 'a/b'), properties: { it: text } },
  'an encoded slash in a name': { schema: pointer('a%2Fb', 'a/b'), properties: { it: text } },
  'a tilde in a name': { schema: pointer('a~0b', 'a~b'), properties: { it: text } },
  'a tilde before a one': { schema: pointer('a~01', 'a~1'), properties: { it: text } },
  'a name in UTF-8': { schema: pointer('%E5%9F%8E%E5%B8%82', '城市'), properties: { it: text } },
  'a bare percent sign': { schema: pointer('100%', '100%'), properties: { it: text } },
  'an anchor': {
    schema: {
      type: 'object',
      properties: { it: { $ref: '#thing' } },
      $defs: { t: { $anchor: 'thing', ...text } },
    },
    properties: { it: text },
  },
  'a dynamic anchor': {
    schema: {
      type: 'object',
      properties: { it: { $ref: '#thing' } },
      $defs: { t: { $dynamicAnchor: 'thing', ...text } },
    },
    properties: { it: text },
  },
  'an anchor as the id of draft 4': {
    schema: {
      type: 'object',
      properties: { it: { $ref: '#thing' } },
      definitions: { t: { id: '#thing', ...text } },
    },
    properties: { it: text },
  },
  'an unknown anchor': {
    schema: { type: 'object', properties: { it: { $ref: '#nothing', description: 'any' } } },
    properties: { it: { description: 'any' } },
  },
  'an address within the schema': {
    schema: {
      $id: 'https://example.com/tool.json',
      type: 'object',
      properties: { it: { $ref: 'it.json' }, also: { $ref: 'https://example.com/it.json' } },
      $defs: { t: { $id: 'it.json', ...text } },
    },
    properties: { it: text, also: text },
  },
  'an address with a pointer': {
    schema: {
      type: 'object',
      properties: { it: { $ref: 'it.json#/$defs/inner' } },
      $defs: { t: { $id: 'it.json', $defs: { inner: text } } },
    },
    properties: { it: text },
  },
  'a pointer from the own address': {
    schema: {
      $id: 'urn:x',
      type: 'object',
      properties: { it: { $ref: 'urn:x#/$defs/t' } },
      $defs: { t: text },
    },
    properties: { it: text },
  },
  'definitions in another place': {
    schema: {
      type: 'object',
      properties: { list: object({ it: { $ref: '#/$defs/It' } }, { $defs: { It: text } }) },
    },
    properties: { list: object({ it: text }) },
  },
  'a name as a reference': {
    schema: { type: 'object', properties: { it: { $ref: 'It' } }, definitions: { It: text } },
    properties: { it: text },
  },
  'a reference to elsewhere': {
    schema: { type: 'object', properties: { it: { $ref: 'https://example.com/other.json' } } },
    properties: { it: {} },
    accepted: [{ it: 1 }],
  },
  'a schema that contains itself': {
    schema: {
      $ref: '#/$defs/node',
      $defs: { node: object({ value: text, children: { type: 'array', items: { $ref: '#/$defs/node' } } }) },
    },
    properties: {
      value: text,
      children: { type: 'array', items: { type: 'object', properties: {} } },
    },
    accepted: [{ children: [{ children: [{ value: 'x' }] }] }],
  },
  'references in a circle': {
    schema: object(
      { it: { $ref: '#/$defs/a' } },
      { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    ),
    properties: { it: {} },
  },

  // Looser forms.
  'no schema': { schema: undefined, properties: {}, accepted: [{ a: 1 }] },
  null: { schema: null, properties: {} },
  'an empty schema': { schema: {}, properties: {} },
  true: { schema: true, properties: {} },
  'no type': { schema: { properties: { a: text } }, properties: { a: text } },
  'a type that is null': { schema: { type: null, properties: { a: text } }, properties: { a: text } },
  'a list of types': {
    schema: { type: ['object', 'null'], properties: { a: text } },
    properties: { a: text },
  },
  'a type in capitals': {
    schema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
    properties: { a: text },
  },
  'properties that are null': {
    schema: { type: 'object', properties: null, required: null },
    properties: {},
  },
  'properties that are a list': { schema: { type: 'object', properties: [], required: [] }, properties: {} },
  'required that is true': {
    schema: object({ a: { ...text, required: true } }, { required: true }),
    properties: { a: text },
  },
  'required names that do not exist': {
    schema: object({ a: text }, { required: ['a', 'b', 7, 'a'] }),
    properties: { a: text },
    required: ['a'],
  },
  'boolean schemas': {
    schema: object({ a: true, b: false, c: { type: 'array', items: true } }),
    properties: { a: {}, b: {}, c: { type: 'array', items: {} } },
  },
  'lists of types': {
    schema: object({ a: { type: ['string', 'null'] }, b: { ...text, nullable: true } }),
    properties: { a: { type: ['string', 'null'] }, b: { type: ['string', 'null'] } },
    accepted: [{ a: null, b: null }],
  },
  'a constant': {
    schema: object({ a: { const: 1 } }),
    properties: { a: { const: 1 } },
    refused: [[{ a: 2 }, /a must be 1/]],
  },
  'limits of draft 4': {
    schema: object({ a: { type: 'number', minimum: 1, exclusiveMinimum: true } }),
    properties: { a: { type: 'number', minimum: 1 } },
    refused: [[{ a: 0 }, /a must be at least 1/]],
  },
  'a list without items': {
    schema: object({ a: { type: 'array' } }),
    properties: { a: { type: 'array', items: {} } },
  },
  'a tuple': {
    schema: object({ a: { type: 'array', prefixItems: [text, number], items: false } }),
    properties: { a: { type: 'array', items: { anyOf: [text, number] } } },
  },
  'odd names': {
    schema: object({ $top: number, 'rule_name[]': text }),
    properties: { $top: number, 'rule_name[]': text },
  },
}

const mcp = await startFakeMcp()
t.teardown(() => mcp.close())
const names = Object.keys(cases)
mcp.tools = names.map((_, index) =>
  fakeTool(`tool${index}`, {
    inputSchema: cases[names[index]!]!.schema,
    annotations: { readOnlyHint: true },
  }),
)
const chat = await startChat(t, { config: { plugins: { connectors: { allow_hosts: ['127.0.0.1'] } } } })
const { server, fake, agent_id } = chat
const socket = await chat.connect()
const { body: connector } = await server.request('POST', '/connectors', {
  body: { name: 'all', kind: 'mcp', config: { url: mcp.url } },
  token: server.admin.token,
})
await server.request('PUT', `/agents/${agent_id}/connectors`, {
  body: { connectors: [{ id: connector.id }] },
  token: server.admin.token,
})

t.test('Arguments of schemas of all forms are shown to the model', async (t) => {
  t.equal(connector.error, null)
  fake.next({ text: 'ok' })
  await socket.ask({ text: 'hello' })
  const tools = fake.requests.at(-1)!.body.tools!
  for (const [index, name] of names.entries()) {
    const shown = tools.find((tool) => tool.function.name === `all__tool${index}`)!.function
      .parameters as Json
    const { properties, required } = cases[name]!
    t.strictSame({ ...shown.properties! }, properties, name)
    t.strictSame(shown.required, required, name)
    t.equal(shown.type, 'object', name)
    t.notMatch(Object.keys(shown), /\$ref|anyOf|oneOf|allOf/, name)
  }
})

t.test('Arguments are checked by the whole schema, and the model reads what is wrong', async (t) => {
  const callTool = async (index: number, args: Json) => {
    fake.next({ toolCalls: [{ name: `all__tool${index}`, arguments: args }] }, { text: 'ok' })
    const { frames } = await socket.ask({ text: 'go' })
    return frames.find(({ type }) => type === 'tool_result')!
  }
  for (const [index, name] of names.entries()) {
    const { accepted = [], refused = [] } = cases[name]!
    for (const args of accepted)
      t.match(await callTool(index, args), { is_error: false, output: `tool${index} is done` }, name)
    for (const [args, sentence] of refused)
      t.match(await callTool(index, args), { is_error: true, output: sentence }, name)
  }
})
