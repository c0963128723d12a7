import {
  type LanguageModelV3,
  type LanguageModelV3CallOptions,
  type LanguageModelV3Message,
  type LanguageModelV3Usage,
  TypeValidationError,
} from '@ai-sdk/provider'
import t, { type Test } from 'tap'
import type { ProviderConnection } from '#kernel'
import { readAnswer } from '../../plugins/chat/model-answer.ts'
import { assistantMessage } from '../../plugins/chat/model-context.ts'
import { explainFailure } from '../../plugins/providers/explained-failure.ts'
import kind from '../../providers/openai/index.ts'
import { readChatRequest, readResponsesRequest } from '../support/fake-openai-requests.ts'
import { createFakeOpenAIResponses, type FakeOpenAIOptions } from '../support/fake-openai-responses.ts'
import type { VendorReply } from '../support/fake-vendor.ts'
import { type KindSubject, testProviderKind } from '../support/provider-kind-suite.ts'

const KEY = 'sk-proj-0123456789abcdef'
const models = [
  { id: 'gpt-5-mini', isReasoning: true },
  { id: 'gpt-4.1' },
  { id: 'ft:o4-mini-2025-04-16:acme::abc', isReasoning: true },
  { id: 'text-embedding-3-small', isEmbedding: true },
]

const subject: KindSubject = {
  kind,
  startFake: () => createFakeOpenAIResponses({ key: KEY, models }),
  api_key: KEY,
  options: { reasoning_summary: 'auto' },
  model: 'gpt-5-mini',
  embedding_model: 'text-embedding-3-small',
  readRequest: readResponsesRequest,
  environment: [
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'OPENAI_ORGANIZATION',
    'OPENAI_ORG_ID',
    'OPENAI_PROJECT_ID',
  ],
}

testProviderKind(t, subject)

const hello: LanguageModelV3CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'a private question' }] }],
}

interface Setting extends Partial<FakeOpenAIOptions> {
  options?: ProviderConnection['options']
  model?: string
  api_key?: string
}

async function start(
  t: Test,
  { options = {}, model = 'gpt-5-mini', api_key = KEY, ...setting }: Setting = {},
) {
  const fake = await createFakeOpenAIResponses({ key: KEY, models, ...setting })
  t.teardown(() => fake.close())
  const connection: ProviderConnection = { base_url: fake.url, api_key, options, fetch }
  return { fake, connection, model: await kind.languageModel(connection, model) }
}

async function call(model: LanguageModelV3, options = hello) {
  const { stream } = await model.doStream(options)
  const parts = async function* () {
    for await (const part of stream) {
      if (part.type === 'error') throw part.error
      yield part
    }
  }
  const nothing = () => {}
  let usage: LanguageModelV3Usage | undefined
  const answer = await readAnswer(parts(), {
    onText: nothing,
    onReasoning: nothing,
    onToolCall: nothing,
    onUsage: (counted) => {
      usage = counted
    },
  })
  return { ...answer, usage }
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => t.fail('this must fail') as never,
    (error: unknown) => explainFailure(error, kind),
  )

t.test('no conversation is stored, and thoughts come sealed for the next step', async (t) => {
  const { fake, model } = await start(t)
  await call(model)
  t.match(fake.requests[0], {
    path: '/v1/responses',
    body: { store: false, include: ['reasoning.encrypted_content'], reasoning: undefined },
  })
  const chat = await start(t, { options: { api: 'chat' } })
  await call(chat.model)
  t.match(chat.fake.requests[0], { path: '/v1/chat/completions', body: { store: false } })
})

t.test('every option reaches the wire', async (t) => {
  const options = {
    organization: 'org-acme',
    project: 'proj_1',
    reasoning_effort: 'high',
    reasoning_summary: 'detailed',
  }
  const { fake, connection, model } = await start(t, { options })
  await call(model)
  await kind.listModels(connection, AbortSignal.timeout(5000))
  const headers = { 'openai-organization': 'org-acme', 'openai-project': 'proj_1' }
  t.match(fake.requests, [
    { headers, body: { reasoning: { effort: 'high', summary: 'detailed' } } },
    { method: 'GET', path: '/v1/models', headers },
  ])
  const chat = await start(t, { options: { ...options, api: 'chat' } })
  await call(chat.model)
  t.match(chat.fake.requests[0], { headers, body: { reasoning_effort: 'high' } })
})

t.test('models that do not reason are spared what only those that do understand', async (t) => {
  const options = { reasoning_effort: 'high', reasoning_summary: 'auto' }
  for (const api of ['responses', 'chat']) {
    const { fake, model } = await start(t, { model: 'gpt-4.1', options: { ...options, api } })
    t.match((await call(model)).content, [{ text: 'All is well.' }])
    t.strictSame([fake.requests[0]!.body.reasoning, fake.requests[0]!.body.include], [undefined, undefined])
  }
})

t.test('a fine-tuned model reasons as its base does', async (t) => {
  const { fake, model } = await start(t, { model: models[2]!.id, options: { reasoning_effort: 'low' } })
  await call(model)
  t.match(fake.requests[0]!.body, { include: ['reasoning.encrypted_content'], reasoning: { effort: 'low' } })
})

t.test('tools keep their optional parameters', async (t) => {
  const { fake, model } = await start(t)
  const tool = { type: 'function' as const, name: 'ls', inputSchema: { type: 'object' as const } }
  await call(model, { ...hello, tools: [tool, { ...tool, name: 'exact', strict: true }] })
  t.match(fake.requests[0]!.body.tools, [
    { name: 'ls', strict: false },
    { name: 'exact', strict: true },
  ])
})

const look: NonNullable<VendorReply['toolCalls']> = [{ id: 'call_1', name: 'look', input: { at: 'it' } }]
const results: LanguageModelV3Message = {
  role: 'tool',
  content: [
    { type: 'tool-result', toolCallId: 'call_1', toolName: 'look', output: { type: 'text', value: 'seen' } },
  ],
}

t.test('thoughts go back with the seal they ended with, whether they were shown or not', async (t) => {
  for (const setting of [
    {},
    { options: { reasoning_summary: 'auto' } },
    { options: { reasoning_summary: 'auto' }, isPartPerThought: true },
  ]) {
    const { fake, model } = await start(t, setting)
    fake.queue({ reasoning: ['First.', 'Second.'], text: ['Hm.'], toolCalls: look })
    const { content } = await call(model)
    await call(model, { prompt: [...hello.prompt, assistantMessage(content), results] })
    const items = fake.requests[1]!.body.input as {
      type?: string
      id?: string
      summary: { text: string }[]
    }[]
    const thoughts = items.filter(({ type }) => type === 'reasoning')
    t.equal(thoughts.length, 1)
    const shown = setting.options ? 'First.Second.' : ''
    t.equal(thoughts[0]!.summary.map(({ text }) => text).join(''), shown)
    t.notOk(items.some(({ type }) => type === 'item_reference'))
  }
})

t.test('Chat Completions say the same in their own way', async (t) => {
  const { fake, model } = await start(t, { options: { api: 'chat' } })
  const usage = { input: 120, cached: 40, output: 30, reasoning: 12 }
  fake.queue({ text: ['Hm', '.'], toolCalls: [...look, { id: 'call_2', name: 'look', input: {} }], usage })
  const tools = [{ type: 'function' as const, name: 'look', inputSchema: { type: 'object' as const } }]
  const first = await call(model, { ...hello, tools, maxOutputTokens: 2048 })
  t.match(first, {
    content: [{ text: 'Hm.' }, { toolName: 'look', input: '{"at":"it"}' }, { toolName: 'look', input: '{}' }],
    finishReason: { unified: 'tool-calls' },
    usage: { inputTokens: { total: 120, cacheRead: 40 }, outputTokens: { total: 30, reasoning: 12 } },
  })
  const more = { ...results, content: [{ ...results.content[0]!, toolCallId: 'call_2' }] } as typeof results
  await call(model, { tools, prompt: [...hello.prompt, assistantMessage(first.content), results, more] })
  t.match(readChatRequest(fake.requests[0]!), {
    model: 'gpt-5-mini',
    max_tokens: 2048,
    tools: [{ name: 'look' }],
  })
  t.match(readChatRequest(fake.requests[1]!).messages, [
    { role: 'user', text: 'a private question' },
    { role: 'assistant', text: 'Hm.', toolCalls: [{ name: 'look', input: { at: 'it' } }, { input: {} }] },
    { role: 'tool', output: 'seen' },
    { role: 'tool', output: 'seen' },
  ])
  fake.queue({ text: ['And then'], finish: 'length' })
  t.match(await call(model), { finishReason: { unified: 'length' } })
})

t.test('an answer that is not streamed has the same settings', async (t) => {
  const { fake, model } = await start(t)
  fake.queue({ text: ['Whole.'] })
  t.match((await model.doGenerate(hello)).content, [{ type: 'text', text: 'Whole.' }])
  t.match(fake.requests[0]!.body, { store: false, include: ['reasoning.encrypted_content'] })
})

t.test('what a stream reports is understood before its first word and after it', async (t) => {
  const refusals = ['quota', 'rate_limit', 'outage', 'bad_request', 'model_not_found', 'auth'] as const
  for (const api of ['responses', 'chat'])
    for (const refusal of refusals)
      for (const breakAfter of [0, 1]) {
        const { fake, model } = await start(t, { options: { api } })
        fake.queue({ text: ['One', ' two'], refusal, breakAfter, retryAfter: 2.5 })
        const failure = await failureOf(call(model))
        t.equal(failure.reason, refusal, `${api}, after ${breakAfter}`)
        if (refusal === 'rate_limit') t.equal(failure.retry_after_ms, 2500)
      }
})

t.test('codes are understood in the forms that streams have for them', async (t) => {
  const reasonOf = (error: unknown) => explainFailure(error, kind).reason
  const failed = (code: string) => ({
    message: 'x',
    type: 'response.failed',
    code,
    statusCode: 500,
    data: {},
  })
  t.equal(reasonOf(failed('slow_down')), 'rate_limit')
  t.equal(reasonOf(failed('server_error')), 'outage')
  t.equal(reasonOf(failed('billing_hard_limit_reached')), 'quota')
  t.equal(reasonOf(failed('invalid_prompt')), 'bad_request')
  t.equal(reasonOf({ type: 'server_error', message: 'x', code: null }), 'outage')
  t.equal(reasonOf({ type: 'invalid_request_error', message: 'x' }), 'bad_request')
  t.equal(reasonOf(new Error('server_error')), 'unknown')
  const value = {
    type: 'error',
    error: { type: 'server_error', code: null, message: 'x' },
    sequence_number: 3,
  }
  t.equal(reasonOf(new TypeValidationError({ value, cause: new Error('no code') })), 'outage')
  const message = 'Please try again in 1h6m0.5s. Visit https://platform.openai.com.'
  t.match(explainFailure({ message, code: 'rate_limit_exceeded' }, kind), { retry_after_ms: 3_960_500 })
})

t.test('an organization that is not verified is told so, not that its request is wrong', async (t) => {
  const { model } = await start(t, { options: { reasoning_summary: 'auto' }, isVerified: false })
  t.match(await failureOf(call(model)), { reason: 'auth', status: 400 })
})

t.test('a model that the key may not use is not found, whatever the status', async (t) => {
  for (const [api, status] of [
    ['responses', 400],
    ['chat', 404],
  ] as const) {
    const { model } = await start(t, { model: 'gpt-9', options: { api } })
    t.match(await failureOf(call(model)), { reason: 'model_not_found', status })
  }
})

t.test('a list is refused as an answer is', async (t) => {
  const { connection } = await start(t, { api_key: 'sk-wrong-0123456789' })
  t.match(await failureOf(kind.listModels(connection, AbortSignal.timeout(5000))), {
    reason: 'auth',
    status: 401,
  })
})
