import type {
  JSONSchema7,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { withFitTools } from '../../providers/fit-tools.ts'
import { toolRules as googleRules } from '../../providers/google/adaptations.ts'
import google from '../../providers/google/index.ts'
import { claudeRules, openAIRules, type ToolRules } from '../../providers/tool-rules.ts'
import t from '../run/file-test.ts'
import { amount, chooseSeed } from '../run/tier.ts'
import { createFakeGoogle } from '../support/fake-google.ts'
import { callModel, connectionTo, goOn, hello, readParts, said, startFake } from '../support/model-calls.ts'
import { createChance } from '../support/random.ts'

type Tool = LanguageModelV3FunctionTool
// biome-ignore lint/suspicious/noExplicitAny: a schema as its sender wrote it
type Schema = any

const toolOf = (inputSchema: Schema, name = 'probe'): Tool => ({ type: 'function', name, inputSchema })

/** Calls a model that answers with these parts; returns what it received, and the parts of its answer. */
async function callWith(
  rules: ToolRules,
  call: LanguageModelV3CallOptions,
  ...parts: LanguageModelV3StreamPart[]
) {
  let received: LanguageModelV3CallOptions | undefined
  const model = withFitTools(
    {
      doStream: (options) => {
        received = options
        return Promise.resolve({ stream: ReadableStream.from(parts) as ReadableStream })
      },
    },
    rules,
  )
  const answer = await readParts(model, call)
  const tools = (received!.tools ?? []) as Tool[]
  return { ...received!, tools, schema: tools[0]?.inputSchema as Schema, answer: answer.parts }
}

const callOf = (toolName: string, input: string): LanguageModelV3StreamPart => ({
  type: 'tool-call',
  toolCallId: 'call_1',
  toolName,
  input,
})

const propertyOf = async (rules: ToolRules, property: Schema) =>
  (await callWith(rules, { ...hello, tools: [toolOf({ properties: { it: property } })] })).schema.properties
    .it

t.test('A plain schema stays, and is converted once', async (t) => {
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'A path', minLength: 1 },
      n: { type: ['integer', 'null'] },
    },
    required: ['path'],
    additionalProperties: false,
  }
  const call = { ...hello, tools: [toolOf(schema)] }
  const first = await callWith(openAIRules, call)
  t.same(first.schema, schema)
  t.equal((await callWith(openAIRules, call)).schema, first.schema, 'not converted again')
})

t.test('Keywords of a wrong type are left out, and what is missing is filled in', async (t) => {
  t.same(await propertyOf(openAIRules, { type: 'array' }), { type: 'array', items: {} })
  t.same(await propertyOf(openAIRules, { type: 'STRING' }), { type: 'string' })
  t.same(await propertyOf(openAIRules, { type: 'any' }), {})
  t.same(await propertyOf(openAIRules, true), {})
  t.same(await propertyOf(openAIRules, { type: 'string', properties: { a: {} } }), { type: 'string' })
  t.same(await propertyOf(openAIRules, { type: 'number', minimum: 1, exclusiveMinimum: true }), {
    type: 'number',
    minimum: 1,
  })
  t.same(await propertyOf(openAIRules, { type: 'string', minLength: -1, enum: [], required: true }), {
    type: 'string',
  })
  t.same(await propertyOf(openAIRules, { type: 'string', nullable: true }), { type: ['string', 'null'] })
  t.same(await propertyOf(openAIRules, { prefixItems: [{ type: 'string' }, { type: 'number' }] }), {
    type: 'array',
    items: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  })
  t.same(
    await propertyOf(openAIRules, { type: 'object', required: ['a', 'b', 'a', 1], properties: { a: {} } }),
    {
      type: 'object',
      properties: { a: {} },
      required: ['a'],
    },
  )
})

t.test('References are resolved, and a schema that contains itself is open below', async (t) => {
  const { schema } = await callWith(openAIRules, {
    ...hello,
    tools: [
      toolOf({
        $ref: '#/$defs/node',
        $defs: {
          node: {
            type: 'object',
            properties: { next: { $ref: '#/$defs/node' }, name: { $ref: '#/$defs/a~1b' } },
          },
          'a/b': { type: 'string' },
        },
      }),
    ],
  })
  t.same(schema, {
    type: 'object',
    properties: { next: { type: 'object', properties: {} }, name: { type: 'string' } },
  })
})

t.test('References follow lists and encoded names, however long they are', async (t) => {
  const deep = Array.from('abcdef').reduceRight<Schema>(
    (inner, name) => ({ type: 'object', properties: { [name]: inner } }),
    { type: 'string' },
  )
  const { schema } = await callWith(openAIRules, {
    ...hello,
    tools: [
      toolOf({
        $defs: { 'Page[Item]': { type: 'integer' } },
        properties: {
          choice: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
          listed: { $ref: '#/properties/choice/anyOf/0' },
          encoded: { $ref: '#/$defs/Page%5BItem%5D' },
          odd: { $ref: '#/$defs/100%' },
          named: { $ref: '#anchor' },
          deep,
          far: { $ref: `#/properties/deep/${[...'abcdef'].map((name) => `properties/${name}`).join('/')}` },
        },
      }),
    ],
  })
  const { listed, encoded, odd, named, far } = schema.properties
  t.same(
    [listed, encoded, odd, named, far],
    [{ type: 'boolean' }, { type: 'integer' }, {}, {}, { type: 'string' }],
  )
})

t.test('Choices are distinct and of the type of their schema', async (t) => {
  t.same(await propertyOf(openAIRules, { type: 'string', enum: ['a', 'a', 1, null] }), {
    type: 'string',
    enum: ['a'],
  })
  t.same(await propertyOf(openAIRules, { type: ['integer', 'null'], enum: [1, 1.5, null, 'a'] }), {
    type: ['integer', 'null'],
    enum: [1, null],
  })
  t.same(
    await propertyOf(openAIRules, { type: ['object', 'array', 'boolean'], enum: [{ a: 1 }, [1], true, 'a'] }),
    {
      type: ['object', 'array', 'boolean'],
      enum: [{ a: 1 }, [1], true],
      properties: {},
      items: {},
    },
  )
  t.same(await propertyOf(openAIRules, { type: 'string', enum: [1, 2] }), { type: 'string' })
  t.same(await propertyOf(openAIRules, { prefixItems: [{ type: 'number' }, { type: 'number' }] }), {
    type: 'array',
    items: { type: 'number' },
  })
})

t.test('For Gemini, null beside other types only makes a value nullable', async (t) => {
  const nullable = (...schemas: Schema[]) => schemas.map((one) => ({ anyOf: [one, { type: 'null' }] }))
  const text = { type: 'string' }
  t.same(await propertyOf(googleRules, { anyOf: [text, { type: 'null' }] }), nullable(text)[0])
  t.same(await propertyOf(googleRules, { oneOf: [text, { type: 'number' }, { enum: [null] }] }), {
    anyOf: nullable(text, { type: 'number' }),
  })
  t.same(
    await propertyOf(googleRules, { type: 'null', description: 'Nothing' }),
    nullable({ ...text, description: 'Nothing' })[0],
  )
  t.same(await propertyOf(googleRules, { anyOf: [{ const: null }, { type: 'null' }] }), nullable(text)[0])
})

t.test('A property that is called like the prototype reaches Gemini, under another name', async (t) => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}',
  )
  const call = { ...hello, tools: [toolOf(schema)] }
  const { schema: sent } = await callWith(googleRules, call)
  const [name] = Object.keys(sent.properties)
  t.same(sent.required, [name])
  t.not(name, '__proto__')
  const { answer } = await callWith(googleRules, call, callOf('probe', JSON.stringify({ [name!]: 'x' })))
  t.equal((answer[0] as { input: string }).input, '{"__proto__":"x"}')
})

t.test('Alternatives at the top are merged into one object', async (t) => {
  const { schema } = await callWith(claudeRules, {
    ...hello,
    tools: [
      toolOf({
        additionalProperties: false,
        oneOf: [
          { properties: { a: { type: 'string' }, c: {} }, required: ['a', 'c'] },
          { properties: { b: { type: 'string' }, c: {} }, required: ['b', 'c'] },
        ],
        allOf: [{ properties: { d: {} }, required: ['d'] }],
      }),
    ],
  })
  t.same(Object.keys(schema.properties).sort(), ['a', 'b', 'c', 'd'])
  t.same(schema.required.sort(), ['c', 'd'])
  t.notOk('oneOf' in schema || 'allOf' in schema || schema.additionalProperties === false)
})

t.test('A schema that is no object, too large or circular becomes an open object with a note', async (t) => {
  const wide = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`p${n}`, {}])),
  }
  const circular: Schema = { type: 'object', properties: {} }
  circular.properties = { a: circular, b: circular, c: circular }
  for (const schema of [{ type: 'string' }, wide, circular]) {
    const { tools } = await callWith(openAIRules, {
      ...hello,
      tools: [{ ...toolOf(schema), description: 'Probes.' }],
    })
    t.same(tools[0]!.inputSchema, { type: 'object', properties: {}, additionalProperties: true })
    t.match(tools[0]!.description, /^Probes\.\n\nIts arguments, as JSON Schema: \{/)
    t.ok(tools[0]!.description!.length < 5000)
  }
})

t.test('A model that refuses many tools or long descriptions receives fewer and shorter ones', async (t) => {
  const tools = Array.from({ length: 140 }, (_, n) => ({
    ...toolOf({}, `tool_${n}`),
    description: `${n} ${'x'.repeat(2000)}`,
  }))
  const call = (...adaptations: string[]) => callWith(openAIRules, { ...hello, tools, adaptations } as never)
  t.same(
    (await call()).tools.map(({ name, description }) => ({ name, description })),
    tools.map(({ name, description }) => ({ name, description })),
  )
  t.same((await call('fewer_tools')).tools.length, 128)
  const short = await call('short_descriptions')
  t.same([short.tools.length, short.tools[0]!.description!.length], [140, 1024])
})

t.test('Names of tools are mapped in tools, history, choice and answer', async (t) => {
  const long = 'x'.repeat(70)
  const call: LanguageModelV3CallOptions = {
    tools: [toolOf({}, '1mcp__a b'), toolOf({}, '_1mcp__a_b'), toolOf({}, long), toolOf({}, '读取')],
    toolChoice: { type: 'tool', toolName: '1mcp__a b' },
    prompt: [
      said('hello'),
      {
        role: 'assistant',
        content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'no such.tool', input: { 'a b': 1 } }],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c',
            toolName: 'no such.tool',
            output: { type: 'text', value: '' },
          },
        ],
      },
    ],
  }
  const { name } = openAIRules
  const rules = { name: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/ }
  const first = await callWith(rules, call)
  const sent = first.tools.map((tool) => tool.name)
  t.ok(sent.every((one) => rules.name.test(one)))
  t.equal(new Set(sent).size, 4, 'no two tools have the same name')
  t.equal(sent[1], '_1mcp__a_b', 'a name that fits stays')
  t.same(first.toolChoice, { type: 'tool', toolName: sent[0] })
  t.match(first.prompt, [
    {},
    { content: [{ toolName: 'no_such_tool', input: { 'a b': 1 } }] },
    { content: [{ toolName: 'no_such_tool' }] },
  ])
  const answers = await callWith(rules, call, ...sent.map((one) => callOf(one, '{}')))
  t.same(
    answers.answer.map((part) => 'toolName' in part && part.toolName),
    call.tools!.map((tool) => tool.name),
  )
  t.equal((await callWith({ name }, call)).tools[0]!.name, '1mcp__a_b', 'a digit may begin a name elsewhere')
})

t.test('Names of properties are mapped there and back on all levels', async (t) => {
  const schema = {
    type: 'object',
    properties: {
      'order by': { type: 'string' },
      order_by: { type: 'string' },
      $filter: {
        type: 'array',
        items: { anyOf: [{ type: 'object', properties: { 'a/b': { type: 'object' } } }, { type: 'string' }] },
      },
    },
    required: ['order by'],
  }
  const input = { 'order by': 'x', order_by: 'y', $filter: [{ 'a/b': { 'order by': 1 } }, 'text'] }
  const prompt = goOn(hello.prompt, [
    { type: 'tool-call', toolCallId: 'c', toolName: 'probe', input: JSON.stringify(input) },
  ])
  const call = { prompt, tools: [toolOf(schema)] }
  const first = await callWith(claudeRules, call)
  t.same(Object.keys(first.schema.properties), ['order_by_2', 'order_by', '_filter'])
  t.equal(first.schema.properties.order_by_2.description, 'order by', 'the name is in the description')
  t.same(first.schema.required, ['order_by_2'])
  const sent = { order_by_2: 'x', order_by: 'y', _filter: [{ a_b: { 'order by': 1 } }, 'text'] }
  t.match(first.prompt[1], { content: [{ input: sent }] })
  const { answer } = await callWith(claudeRules, call, callOf('probe', JSON.stringify(sent)))
  t.same(JSON.parse((answer[0] as { input: string }).input), input)
  const broken = await callWith(claudeRules, call, callOf('probe', '{"order'))
  t.match(broken.answer, [{ input: '{"order' }])
})

const WORDS = ['a', 'b', 'order by', '$top', '1st', '名', '', 'x'.repeat(80)]
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null', 'STRING', 'file', 7]

const seed = chooseSeed(50)
const rounds = amount({ short: 200, long: 5000 })
t.test(`No schema spoils a turn (seed ${seed}, ${rounds} schemas)`, async (t) => {
  const { int, chance, pick, list } = createChance(seed)
  const value = (): unknown => pick(['a', '', 1, 1.5, true, null, { a: 1 }, ['a']])
  const make = (depth: number): unknown => {
    if (chance(0.05)) return pick([true, false, null, 'string', []])
    const schema: Record<string, unknown> = {}
    const maybe = (keyword: string, probability: number, create: () => unknown) => {
      if (chance(probability)) schema[keyword] = create()
    }
    maybe('type', 0.7, () => (chance(0.2) ? list(0, 3, () => pick(TYPES)) : pick(TYPES)))
    maybe('description', 0.3, () => pick(['A text.', '', 5]))
    maybe('enum', 0.2, () => list(0, 3, value))
    maybe('const', 0.1, value)
    maybe('default', 0.1, value)
    maybe('format', 0.2, () => pick(['uri', 'date-time', 'int32', 'enum', 3]))
    maybe('nullable', 0.1, () => chance(0.5))
    maybe('minLength', 0.1, () => pick([1, -1, '2']))
    maybe('exclusiveMinimum', 0.1, () => pick([1, true]))
    maybe('required', 0.3, () => list(0, 3, () => pick([...WORDS, 5])))
    maybe('$ref', 0.05, () => pick(['#', '#/properties/a', 'https://example.com/x.json', '#/$defs/none']))
    maybe('additionalProperties', 0.2, () => (depth > 0 ? make(depth - 1) : chance(0.5)))
    if (depth === 0) return schema
    maybe('properties', 0.6, () => Object.fromEntries(list(0, 4, () => [pick(WORDS), make(depth - 1)])))
    maybe('items', 0.3, () => (chance(0.2) ? list(0, 2, () => make(depth - 1)) : make(depth - 1)))
    for (const keyword of ['anyOf', 'oneOf', 'allOf'])
      maybe(keyword, 0.15, () => list(0, int(1, 3), () => make(depth - 1)))
    maybe('not', 0.1, () => make(depth - 1))
    maybe('patternProperties', 0.1, () => ({ '^x': make(depth - 1) }))
    return schema
  }
  const tools = Array.from({ length: rounds }, (_, n) => toolOf(make(3) ?? {}, `tool ${n}`)).map((tool) => ({
    ...tool,
    inputSchema: Object(tool.inputSchema) as JSONSchema7,
  }))
  const fake = await startFake(t, createFakeGoogle({ key: 'a-key' }))
  const model = await google.languageModel(
    connectionTo(fake.url, { api_key: 'a-key' }) as never,
    'gemini-3.5-flash',
  )
  await callModel(model, { ...hello, tools })
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  for (const rules of [claudeRules, openAIRules])
    for (const tool of (await callWith(rules, { ...hello, tools })).tools) {
      const schema = tool.inputSchema as Schema
      ajv.compile(schema)
      t.ok(rules.name.test(tool.name) && schema.type === 'object' && schema.properties, tool.name)
      JSON.stringify(schema, (key, part) => {
        if (rules.property && key === 'properties' && part && !Array.isArray(part))
          for (const name of Object.keys(part)) t.match(name, rules.property)
        return part
      })
    }
})
