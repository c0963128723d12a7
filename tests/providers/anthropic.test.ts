import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { compileSchema } from '#kernel'
import type { ProviderConnection } from '#plugin-api'
import type { VendorReply } from '../../plugin-api/testing/fake-vendor.ts'
import { testProviderKind } from '../../plugin-api/testing/provider-kind-suite.ts'
import kind from '../../providers/anthropic/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { createFakeAnthropic } from '../support/fake-anthropic.ts'
import { ADAPTIVE_MODEL, BUDGET_MODEL } from '../support/fake-anthropic-rules.ts'
import { REDACTION_TRIGGER } from '../support/fake-claude.ts'
import { builtIn } from '../support/kit.ts'
import {
  callModel,
  connectionTo,
  failureOf,
  goOn,
  hello,
  listModels,
  said,
  startFake,
  toolNamed,
} from '../support/model-calls.ts'

const API_KEY = 'sk-ant-api03-fake-0123456789'

testProviderKind({
  ...builtIn(t),
  kind,
  startFake: () => createFakeAnthropic({ apiKey: API_KEY }),
  api_key: API_KEY,
  options: { thinking: true },
  model: ADAPTIVE_MODEL,
  environment: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL'],
  readRequest({ body }) {
    const textOf = (blocks: Block[]) =>
      blocks.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('')
    return {
      model: body.model,
      system: textOf(body.system ?? []),
      messages: body.messages.flatMap(({ role, content }: { role: string; content: Block[] }) => {
        if (role === 'assistant')
          return {
            role,
            text: textOf(content),
            reasoning: content.map(({ thinking = '' }) => thinking).join(''),
            toolCalls: content
              .filter(({ type }) => type === 'tool_use')
              .map(({ name, input }) => ({ name, input })),
          }
        const results = content.filter(({ type }) => type === 'tool_result')
        if (results.length > 0)
          return results.map(({ content, is_error }) => ({ role: 'tool', output: content, is_error }))
        const images = content.filter(({ type }) => type === 'image').map(({ source }) => source)
        return {
          role,
          text: textOf(content),
          images: images.map(({ media_type, data }) => ({ media_type, base64: data })),
        }
      }),
      tools: (body.tools ?? []).map(({ name, input_schema }: Block) => ({ name, schema: input_schema })),
      max_tokens: body.max_tokens,
    }
  },
})

// biome-ignore lint/suspicious/noExplicitAny: blocks of many forms, read by what they are expected to be
type Block = any

const tools = [toolNamed('ls')]
const listing: VendorReply = { toolCalls: [{ id: 'toolu_1', name: 'ls', input: {} }] }

async function start(
  t: Test,
  { extraModels, ...more }: Partial<ProviderConnection> & { extraModels?: number } = {},
) {
  const fake = await startFake(t, createFakeAnthropic({ apiKey: API_KEY, extraModels }))
  const connection = connectionTo(fake.url, { api_key: API_KEY, ...more })
  return { fake, connection, open: (model = ADAPTIVE_MODEL) => kind.languageModel(connection, model) }
}

t.test('a model thinks as its generation can, and only where the provider says so', async (t) => {
  const cases: [string, Record<string, unknown>, object][] = [
    [ADAPTIVE_MODEL, {}, { thinking: undefined, output_config: undefined }],
    [ADAPTIVE_MODEL, { thinking: true, effort: 'xhigh' }, ADAPTIVE_XHIGH],
    [
      ADAPTIVE_MODEL,
      { thinking: false, effort: 'low' },
      { thinking: { type: 'disabled' }, ...effort('low') },
    ],
    [BUDGET_MODEL, { effort: 'max' }, { thinking: undefined, output_config: undefined }],
    [BUDGET_MODEL, { thinking: false }, { thinking: undefined }],
    [BUDGET_MODEL, { thinking: true }, { thinking: { type: 'enabled', budget_tokens: 4096 } }],
    [BUDGET_MODEL, { thinking: true, thinking_budget: 1024 }, { thinking: { budget_tokens: 1024 } }],
  ]
  const validate = compileSchema(kind.config_schema, 'json')
  const { fake, connection } = await start(t)
  for (const [model, options, expected] of cases) {
    validate(structuredClone(options))
    await callModel(await kind.languageModel({ ...connection, options }, model))
    t.match(fake.requests.at(-1)!.body, expected, `${model} ${JSON.stringify(options)}`)
  }
})

const effort = (level: string) => ({ output_config: { effort: level } })
const ADAPTIVE_XHIGH = { thinking: { type: 'adaptive', display: 'summarized' }, ...effort('xhigh') }

t.test('models that cannot think, and those of other vendors, get what they understand', async (t) => {
  const bodies: Block[] = []
  const answer: typeof fetch = async (_, init) => {
    bodies.push(JSON.parse(String(init?.body)))
    return Response.json({ type: 'error', error: { type: 'api_error', message: 'x' } }, { status: 500 })
  }
  const options = { thinking: true, effort: 'high' }
  const connection = connectionTo('http://upstream.test', { options, fetch: answer })
  const asked = async (model: string) => {
    await failureOf(callModel(await kind.languageModel(connection, model)), kind)
    const { thinking, output_config } = bodies.at(-1)
    return [thinking?.type, output_config?.effort]
  }
  for (const model of ['claude-3-haiku-20240307', 'claude-3-5-sonnet-20241022', 'claude-2.1'])
    t.strictSame(await asked(model), [undefined, undefined], model)
  for (const model of [
    'claude-3-7-sonnet-20250219',
    'claude-sonnet-4-20250514',
    'claude-opus-4-5',
    'MiniMax-M2',
  ])
    t.strictSame(await asked(model), ['enabled', undefined], model)
  for (const model of ['claude-opus-4-6', 'claude-sonnet-5', 'claude-haiku-5-5', 'claude-opus-5-5'])
    t.strictSame(await asked(model), ['adaptive', 'high'], model)
})

t.test(
  'the limit holds for thoughts and text together, and a small one leaves no room for thoughts',
  async (t) => {
    const { fake, open } = await start(t, { options: { thinking: true, thinking_budget: 4000 } })
    const model = await open(BUDGET_MODEL)
    await callModel(model, { ...hello, maxOutputTokens: 500 })
    await callModel(model, { ...hello, maxOutputTokens: 16_000 })
    t.strictSame(
      fake.requests.map(({ body }) => [body.max_tokens, body.thinking?.budget_tokens]),
      [
        [500, undefined],
        [16_000, 4000],
      ],
    )
  },
)

t.test('signed thoughts go back with the next step', async (t) => {
  for (const model of [ADAPTIVE_MODEL, BUDGET_MODEL]) {
    const { fake, open } = await start(t, { options: { thinking: true } })
    const opened = await open(model)
    fake.queue({ reasoning: ['Let me', ' look.'], ...listing })
    const { content } = await callModel(opened, { ...hello, tools })
    // The fake refuses a thought whose signature is gone or changed, and a budget without its thought.
    await callModel(opened, { tools, prompt: goOn(hello.prompt, content) })
    t.match(fake.requests[1]!.body.messages[1].content, [
      { type: 'thinking', thinking: 'Let me look.', signature: /^Er/ },
      { type: 'tool_use', id: 'toolu_1' },
    ])
  }
})

t.test('thoughts of models that think unasked and do not show it go back as well', async (t) => {
  const { fake, connection, open } = await start(t)
  const thinkUnasked: typeof fetch = (url, init) => {
    const body = { ...JSON.parse(String(init?.body)), thinking: { type: 'adaptive' } }
    return fetch(url, { ...init, body: JSON.stringify(body) })
  }
  const model = await kind.languageModel({ ...connection, fetch: thinkUnasked }, ADAPTIVE_MODEL)
  fake.queue({ reasoning: ['Hidden.'], ...listing })
  const { content } = await callModel(model, { ...hello, tools })
  await callModel(await open(), { tools, prompt: goOn(hello.prompt, content) })
  t.match(fake.requests[1]!.body.messages[1].content[0], { type: 'thinking', thinking: '', signature: /^Er/ })
})

t.test('redacted thoughts go back as they came', async (t) => {
  const { fake, open } = await start(t, { options: { thinking: true } })
  const prompt = [said(REDACTION_TRIGGER)]
  const model = await open(BUDGET_MODEL)
  fake.queue({ reasoning: ['Secret.'], ...listing })
  const { content } = await callModel(model, { prompt, tools })
  await callModel(model, { tools, prompt: goOn(prompt, content) })
  t.match(fake.requests[1]!.body.messages[1].content, [
    { type: 'redacted_thinking', data: /^Er/ },
    { type: 'tool_use' },
  ])
})

t.test('the system prompt and the end of the conversation are cached at every step', async (t) => {
  const { fake, open } = await start(t)
  const model = await open()
  const prompt: LanguageModelV3Message[] = [{ role: 'system', content: 'Be brief.' }, said('Hello')]
  fake.queue({ text: ['Wait.'], ...listing })
  const { content } = await callModel(model, { prompt, tools })
  await callModel(model, { tools, prompt: goOn(prompt, content) })
  const mark = { type: 'ephemeral' }
  const [first, second] = fake.requests.map(({ body }) => body)
  t.strictSame(first.system, [{ type: 'text', text: 'Be brief.', cache_control: mark }])
  t.strictSame(first.messages, [
    { role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: mark }] },
  ])
  t.match(second.system, [{ cache_control: mark }])
  const marked = second.messages.map((message: Block) =>
    message.content.map((block: Block) => block.cache_control),
  )
  t.strictSame(marked, [[undefined], [undefined, undefined], [mark]])
})

t.test('arguments of tools are not asked for before they are whole', async (t) => {
  const { fake, open } = await start(t)
  await callModel(await open(), { ...hello, tools })
  t.notMatch(fake.requests[0]!.body.tools[0], { eager_input_streaming: Boolean })
})

t.test('models that always think are never asked not to', async (t) => {
  const bodies: Block[] = []
  const answer: typeof fetch = async (_, init) => {
    bodies.push(JSON.parse(String(init?.body)))
    return Response.json({ type: 'error', error: { type: 'api_error', message: 'x' } }, { status: 500 })
  }
  const connection = connectionTo('http://upstream.test', { fetch: answer })
  for (const model of ['claude-fable-5', 'claude-mythos-1', 'claude-opus-5-5']) {
    const options = { ...hello, reasoning: 'off' as const }
    await failureOf(callModel(await kind.languageModel(connection, model), options), kind)
    t.notOk('thinking' in bodies.at(-1), model)
  }
})

t.test('JSON is asked for by its schema or an instruction, beside the tools of the call', async (t) => {
  const bodies: Block[] = []
  const answer: typeof fetch = async (_, init) => {
    bodies.push(JSON.parse(String(init?.body)))
    return Response.json({ type: 'error', error: { type: 'api_error', message: 'x' } }, { status: 500 })
  }
  const connection = connectionTo('http://upstream.test', { fetch: answer })
  const schema = { type: 'object', properties: { answer: { type: 'string' } } } as const
  const asked = async (model: string, format: object, more: object = {}) => {
    const responseFormat = { type: 'json' as const, ...format }
    const options = { ...hello, tools, stopSequences: ['END', '\n'], responseFormat, ...more }
    await failureOf(callModel(await kind.languageModel(connection, model), options), kind)
    const { output_config, system, tools: sent, tool_choice, stop_sequences } = bodies.at(-1)
    t.strictSame(
      [sent.map(({ name }: Block) => name), tool_choice, stop_sequences],
      [['ls'], undefined, ['END']],
    )
    return { format: output_config?.format, instruction: system?.[0].text ?? '' }
  }
  t.match(await asked(ADAPTIVE_MODEL, { schema }), {
    format: { type: 'json_schema', schema: { properties: { answer: {} } } },
    instruction: /^$/,
  })
  const instructed = { format: undefined, instruction: /"answer".*\n.*JSON object/ }
  t.match(await asked('MiniMax-M2', { schema }), instructed)
  t.match(await asked(ADAPTIVE_MODEL, { schema }, { adaptations: ['json_by_instruction'] }), instructed)
  t.match(await asked(ADAPTIVE_MODEL, {}), { format: undefined, instruction: /JSON object/ })
})

t.test('a refusal shows the setting that is refused, and no other', (t) => {
  const cases: [string, ...string[]][] = [
    ['max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens', 'output_8192'],
    ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', 'output_8192'],
    ['max_tokens must be less than or equal to 4096', 'output_4096'],
    ['"max_tokens" is too large', 'output_4096'],
    ['input length and `max_tokens` exceed context limit: 190000 + 16384 > 200000'],
    ['adaptive thinking is not supported on this model', 'no_thinking'],
    ['messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.'],
    ['messages.1.content.0: Invalid `signature` in `thinking` block'],
    ['`max_tokens` must be greater than `thinking.budget_tokens`.'],
    ['This model does not support the effort parameter.', 'no_effort'],
    ['`temperature` and `top_p` cannot both be specified for this model.', 'no_sampling'],
    ['output_config.format: Extra inputs are not permitted', 'json_by_instruction'],
    ['system.0.cache_control: Extra inputs are not permitted', 'no_cache_marks'],
    ['prompt is too long: 200001 tokens > 200000 maximum'],
  ]
  for (const [message, ...names] of cases) {
    const report = { headers: {}, body: undefined, error: {}, code: '', type: '', message }
    const needed = Object.entries(kind.adaptations!).filter(([, adaptation]) => adaptation.isNeeded(report))
    t.strictSame(
      needed.map(([name]) => name),
      names,
      message,
    )
  }
  t.end()
})

t.test('an adapted call leaves out what is refused', async (t) => {
  const { fake, open } = await start(t, { options: { thinking: true } })
  const model = await open(BUDGET_MODEL)
  const adaptations = ['output_4096', 'no_thinking', 'no_sampling', 'no_cache_marks']
  await callModel(model, { ...hello, temperature: 0.5, adaptations } as typeof hello)
  const { max_tokens, thinking, temperature, messages } = fake.requests[0]!.body
  t.strictSame([max_tokens, thinking, temperature], [4096, undefined, undefined])
  t.notOk('cache_control' in messages[0].content[0])
})

type AnswerParts = Extract<LanguageModelV3Message, { role: 'assistant' }>['content']

t.test('calls of the vendor go back as they came within a turn, and not afterwards', async (t) => {
  const call = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'news' } }
  const result = {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ encrypted_content: 'eA' }],
  }
  const bodies: Block[] = []
  const answer: typeof fetch = async (_, init) => {
    bodies.push(JSON.parse(String(init?.body)))
    const content = [call, result, { type: 'text', text: 'Found.' }]
    return Response.json({ type: 'message', content, stop_reason: 'pause_turn', usage: {} })
  }
  const model = await kind.languageModel(
    connectionTo('http://upstream.test', { fetch: answer }),
    ADAPTIVE_MODEL,
  )
  const first = await callModel(model)
  t.match(first.content, [
    { type: 'tool-call', toolName: 'web_search', input: '{"query":"news"}', providerExecuted: true },
    { type: 'tool-result', toolCallId: 'srvtoolu_1' },
    { type: 'text', text: 'Found.' },
  ])
  t.match(
    first.parts.find(({ type }) => type === 'tool-result'),
    { toolCallId: 'srvtoolu_1', isError: false },
  )
  const content = first.content.flatMap((part): AnswerParts => {
    if (part.type === 'text') return [{ type: part.type, text: part.text }]
    if (part.type !== 'tool-call') return []
    const { type, toolCallId, toolName, input, providerExecuted, providerMetadata: providerOptions } = part
    return [{ type, toolCallId, toolName, input: JSON.parse(input), providerExecuted, providerOptions }]
  })
  const paused: LanguageModelV3Message[] = [said('news?'), { role: 'assistant', content }]
  await callModel(model, { prompt: paused })
  t.match(bodies[1].messages[1].content, [call, result, { type: 'text', text: 'Found.' }])
  await callModel(model, { prompt: [...paused, said('thanks')] })
  t.match(bodies[2].messages[1].content, [{ type: 'text', text: 'Found.' }])
  t.equal(bodies[2].messages[1].content.length, 1)
})

t.test('an error that is the first event or a later one is sorted by its type', async (t) => {
  const { fake, open } = await start(t)
  const model = await open()
  const refusals = ['auth', 'quota', 'rate_limit', 'outage', 'model_not_found', 'bad_request'] as const
  for (const breakAfter of [0, 1])
    for (const refusal of refusals) {
      fake.queue({ text: ['a', 'b'], breakAfter, refusal })
      t.equal((await failureOf(callModel(model), kind)).reason, refusal, `${refusal} after ${breakAfter}`)
    }
})

t.test('spending limits, bills and permissions are distinguished from bad requests', async (t) => {
  const refused = async (status: number, type: string, message: string) => {
    const connection = connectionTo('http://upstream.test', {
      fetch: async () =>
        Response.json(
          { type: 'error', error: { type, message } },
          { status, headers: { 'retry-after': '3' } },
        ),
    })
    return failureOf(callModel(await kind.languageModel(connection, ADAPTIVE_MODEL)), kind)
  }
  const limit =
    'You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC.'
  t.match(await refused(400, 'invalid_request_error', limit), { reason: 'quota', status: 400 })
  const workspace = limit.replace('API', 'workspace API')
  t.match(await refused(400, 'invalid_request_error', workspace), { reason: 'quota', status: 400 })
  t.match(await refused(402, 'billing_error', 'Update your payment method.'), { reason: 'quota' })
  t.match(await refused(403, 'permission_error', 'No access to this model.'), { reason: 'auth' })
  t.match(await refused(413, 'request_too_large', 'Request exceeds the maximum size'), {
    reason: 'bad_request',
  })
  t.match(await refused(504, 'timeout_error', 'Timed out'), { reason: 'timeout' })
  const overloaded = { reason: 'outage', status: 529, retry_after_ms: 3000 }
  t.strictSame(await refused(529, 'overloaded_error', 'Overloaded'), overloaded)
})

t.test('the list of models is read to its end, with what is known of each', async (t) => {
  const { fake, connection } = await start(t, { extraModels: 1000 })
  const models = await listModels(kind, connection)
  t.equal(models.length, 1002)
  t.equal(new Set(models.map(({ id }) => id)).size, 1002)
  t.strictSame(
    fake.requests.map(({ path }) => path),
    ['/v1/models?limit=1000', '/v1/models?limit=1000&after_id=claude-test-997'],
  )
  t.strictSame(models[0], {
    id: ADAPTIVE_MODEL,
    name: 'claude opus 4 8',
    context_window: 1_000_000,
    max_output_tokens: 128_000,
    input: ['text', 'image'],
    reasoning: true,
  })
})

t.test('a list of which only the ids are known is taken as it is', async (t) => {
  const connection = connectionTo('http://upstream.test', {
    fetch: async () => Response.json({ data: [{ id: 'MiniMax-M2' }] }),
  })
  const models = await listModels(kind, connection)
  t.strictSame(models, [{ id: 'MiniMax-M2', name: 'MiniMax-M2' }])
})

t.test('a list that is refused is explained like a call', async (t) => {
  const { connection } = await start(t, { api_key: 'wrong' })
  t.strictSame(await failureOf(listModels(kind, connection), kind), { reason: 'auth', status: 401 })
})

t.test('a base URL of the host alone is understood', async (t) => {
  const { fake, connection } = await start(t)
  const { origin } = new URL(fake.url)
  for (const base_url of [origin, `${origin}/`, `${origin}/v1/`]) {
    t.ok((await listModels(kind, { ...connection, base_url })).length > 0)
    t.match(fake.requests.at(-1)!.path, /^\/v1\/models\?/)
  }
})
