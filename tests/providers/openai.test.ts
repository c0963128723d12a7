import { TypeValidationError } from '@ai-sdk/provider'
import type { ProviderConnection } from '#plugin-api'
import type { VendorReply } from '../../plugin-api/testing/fake-vendor.ts'
import { testProviderKind } from '../../plugin-api/testing/provider-kind-suite.ts'
import { explainFailure } from '../../plugins/models/providers/explained-failure.ts'
import kind from '../../providers/openai/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { readChatRequest, readResponsesRequest } from '../support/fake-openai-requests.ts'
import { createFakeOpenAIResponses, type FakeOpenAIOptions } from '../support/fake-openai-responses.ts'
import { builtIn } from '../support/kit.ts'
import {
  callModel,
  connectionTo,
  failureOf,
  goOn,
  hello,
  listModels,
  startFake,
  toolNamed,
} from '../support/model-calls.ts'

const KEY = 'sk-proj-0123456789abcdef'
const models = [
  { id: 'gpt-5-mini', isReasoning: true },
  { id: 'gpt-4.1' },
  { id: 'ft:o4-mini-2025-04-16:acme::abc', isReasoning: true },
  { id: 'text-embedding-3-small', isEmbedding: true },
  { id: 'gpt-image-1' },
  { id: 'gpt-4o-mini-tts' },
  { id: 'gpt-4o-mini-transcribe-2025-12-15' },
]

testProviderKind({
  ...builtIn(t),
  kind,
  startFake: () => createFakeOpenAIResponses({ key: KEY, models }),
  api_key: KEY,
  options: { reasoning_summary: 'auto' },
  model: 'gpt-5-mini',
  embedding_model: 'text-embedding-3-small',
  image_model: 'gpt-image-1',
  speech_model: 'gpt-4o-mini-tts',
  transcription_model: 'gpt-4o-mini-transcribe-2025-12-15',
  readRequest: readResponsesRequest,
  environment: [
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
    'OPENAI_ORGANIZATION',
    'OPENAI_ORG_ID',
    'OPENAI_PROJECT_ID',
  ],
})

interface Setting extends Partial<FakeOpenAIOptions> {
  options?: ProviderConnection['options']
  model?: string
  api_key?: string
}

async function start(
  t: Test,
  { options = {}, model = 'gpt-5-mini', api_key = KEY, ...setting }: Setting = {},
) {
  const fake = await startFake(t, createFakeOpenAIResponses({ key: KEY, models, ...setting }))
  const connection = connectionTo(fake.url, { api_key, options })
  return { fake, connection, model: await kind.languageModel(connection, model) }
}

t.test('no conversation is stored, and thoughts come sealed for the next step', async (t) => {
  const { fake, model } = await start(t)
  await callModel(model)
  t.match(fake.requests[0], {
    path: '/v1/responses',
    body: { store: false, include: ['reasoning.encrypted_content'], reasoning: undefined },
  })
  const chat = await start(t, { options: { api: 'chat' } })
  await callModel(chat.model)
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
  await callModel(model)
  await listModels(kind, connection)
  const headers = { 'openai-organization': 'org-acme', 'openai-project': 'proj_1' }
  t.match(fake.requests, [
    { headers, body: { reasoning: { effort: 'high', summary: 'detailed' } } },
    { method: 'GET', path: '/v1/models', headers },
  ])
  const chat = await start(t, { options: { ...options, api: 'chat' } })
  await callModel(chat.model)
  t.match(chat.fake.requests[0], { headers, body: { reasoning_effort: 'high' } })
})

t.test('models that do not reason are spared what only those that do understand', async (t) => {
  const options = { reasoning_effort: 'high', reasoning_summary: 'auto' }
  for (const api of ['responses', 'chat']) {
    const { fake, model } = await start(t, { model: 'gpt-4.1', options: { ...options, api } })
    t.match((await callModel(model)).content, [{ text: 'All is well.' }])
    t.strictSame([fake.requests[0]!.body.reasoning, fake.requests[0]!.body.include], [undefined, undefined])
  }
})

t.test('a fine-tuned model reasons as its base does', async (t) => {
  const { fake, model } = await start(t, { model: models[2]!.id, options: { reasoning_effort: 'low' } })
  await callModel(model)
  t.match(fake.requests[0]!.body, { include: ['reasoning.encrypted_content'], reasoning: { effort: 'low' } })
})

t.test('tools keep their optional parameters', async (t) => {
  const { fake, model } = await start(t)
  const tools = [toolNamed('ls'), { ...toolNamed('exact'), strict: true }]
  await callModel(model, { ...hello, tools })
  t.match(fake.requests[0]!.body.tools, [
    { name: 'ls', strict: false },
    { name: 'exact', strict: true },
  ])
})

const look: NonNullable<VendorReply['toolCalls']> = [{ id: 'call_1', name: 'look', input: { at: 'it' } }]

t.test('thoughts go back with the seal they ended with, whether they were shown or not', async (t) => {
  for (const setting of [
    {},
    { options: { reasoning_summary: 'auto' } },
    { options: { reasoning_summary: 'auto' }, isPartPerThought: true },
  ]) {
    const { fake, model } = await start(t, setting)
    fake.queue({ reasoning: ['First.', 'Second.'], text: ['Hm.'], toolCalls: look })
    const { content } = await callModel(model)
    await callModel(model, { prompt: goOn(hello.prompt, content) })
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
  const tools = [toolNamed('look')]
  const first = await callModel(model, { ...hello, tools, maxOutputTokens: 2048 })
  t.match(first, {
    content: [{ text: 'Hm.' }, { toolName: 'look', input: '{"at":"it"}' }, { toolName: 'look', input: '{}' }],
    finishReason: { unified: 'tool-calls' },
    usage: { inputTokens: { total: 120, cacheRead: 40 }, outputTokens: { total: 30, reasoning: 12 } },
  })
  await callModel(model, {
    tools,
    prompt: goOn(hello.prompt, first.content, { type: 'text', value: 'seen' }),
  })
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
  t.match(await callModel(model), { finishReason: { unified: 'length' } })
})

t.test('what a stream reports is understood before its first word and after it', async (t) => {
  const refusals = ['quota', 'rate_limit', 'outage', 'bad_request', 'model_not_found', 'auth'] as const
  for (const api of ['responses', 'chat'])
    for (const refusal of refusals)
      for (const breakAfter of [0, 1]) {
        const { fake, model } = await start(t, { options: { api } })
        fake.queue({ text: ['One', ' two'], refusal, breakAfter, retryAfter: 2.5 })
        const failure = await failureOf(callModel(model), kind)
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

t.test('an organization that is not verified is reported as such, not as a bad request', async (t) => {
  const { model } = await start(t, { options: { reasoning_summary: 'auto' }, isVerified: false })
  t.match(await failureOf(callModel(model), kind), { reason: 'auth', status: 400 })
})

t.test('a model that the key may not use is not found, whatever the status', async (t) => {
  for (const [api, status] of [
    ['responses', 400],
    ['chat', 404],
  ] as const) {
    const { model } = await start(t, { model: 'gpt-9', options: { api } })
    t.match(await failureOf(callModel(model), kind), { reason: 'model_not_found', status })
  }
})

t.test('a list is refused as an answer is', async (t) => {
  const { connection } = await start(t, { api_key: 'sk-wrong-0123456789' })
  t.match(await failureOf(listModels(kind, connection), kind), { reason: 'auth', status: 401 })
})
