import type { ProviderConnection } from '#plugin-api'
import { testProviderKind } from '../../plugin-api/testing/provider-kind-suite.ts'
import kind from '../../providers/azure-openai/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { readChatRequest, readResponsesRequest } from '../support/fake-openai-requests.ts'
import { createFakeOpenAIResponses, type FakeOpenAIOptions } from '../support/fake-openai-responses.ts'
import { builtIn } from '../support/kit.ts'
import {
  callModel,
  connectionTo,
  embedTexts,
  failureOf,
  goOn,
  hello,
  listModels,
  startFake,
  toolNamed,
  wordsOf,
} from '../support/model-calls.ts'

const KEY = '0123456789abcdef0123456789abcdef'
const models = [
  { id: 'thinker', model: 'gpt-5-mini', isReasoning: true },
  { id: 'gpt-5-mini', isReasoning: true },
  { id: 'Prod-GPT-4.1', model: 'gpt-4.1' },
  { id: 'vectors', model: 'text-embedding-3-large', isEmbedding: true },
  { id: 'ears', model: 'whisper' },
]

const mediaModels = [
  { id: 'painter', model: 'gpt-image-1' },
  { id: 'voice', model: 'gpt-4o-mini-tts' },
]

testProviderKind({
  ...builtIn(t),
  kind,
  startFake: () =>
    createFakeOpenAIResponses({ key: KEY, flavour: 'azure', models: [...models, ...mediaModels] }),
  api_key: KEY,
  options: { reasoning_summary: 'auto' },
  model: 'thinker',
  embedding_model: 'vectors',
  image_model: 'painter',
  speech_model: 'voice',
  transcription_model: 'ears',
  readRequest: readResponsesRequest,
  environment: [
    'AZURE_API_KEY',
    'AZURE_RESOURCE_NAME',
    'AZURE_OPENAI_API_KEY',
    'OPENAI_API_KEY',
    'OPENAI_BASE_URL',
  ],
})

interface Setting extends Partial<FakeOpenAIOptions> {
  options?: ProviderConnection['options']
  model?: string
  api_key?: string
  address?(url: URL): string
}

async function start(t: Test, setting: Setting = {}) {
  const { options = {}, model = 'thinker', api_key = KEY, address = String, ...more } = setting
  const fake = await startFake(t, createFakeOpenAIResponses({ key: KEY, flavour: 'azure', models, ...more }))
  const connection = connectionTo(address(new URL(fake.url)), { api_key, options })
  return { fake, connection, model: await kind.languageModel(connection, model) }
}

const textOf = async (...call: Parameters<typeof callModel>) =>
  wordsOf((await callModel(...call)).parts).join('')

const list = (connection: ProviderConnection) => listModels(kind, connection)

t.test('an address is understood in all the forms that the portal shows it in', async (t) => {
  const addresses: ((url: URL) => string)[] = [
    ({ origin }) => origin,
    ({ origin }) => `${origin}/openai/`,
    ({ origin }) => `${origin}/openai/v1/`,
    ({ origin }) => `${origin}/openai/deployments/thinker/chat/completions?api-version=2025-01-01-preview`,
  ]
  for (const address of addresses) {
    const { fake, connection, model } = await start(t, { address })
    t.equal(await textOf(model), 'All is well.')
    await list(connection)
    t.match(fake.requests, [
      { path: '/openai/v1/responses', headers: { 'api-key': KEY } },
      { path: '/openai/deployments?api-version=2023-03-15-preview', headers: { 'api-key': KEY } },
    ])
  }
})

t.test('the path before /openai is kept, as gateways and projects have one', async (t) => {
  const seen: string[] = []
  const connection = connectionTo('https://acme.services.ai.azure.com/api/projects/one/openai/v1', {
    fetch: async (input) => {
      seen.push(String(input))
      return Response.json({ error: { code: '404', message: 'Resource not found' } }, { status: 404 })
    },
  })
  await failureOf(callModel(await kind.languageModel(connection, 'thinker')), kind)
  t.strictSame(seen, ['https://acme.services.ai.azure.com/api/projects/one/openai/v1/responses'])
})

t.test('a version is sent if one is set', async (t) => {
  const { fake, connection, model } = await start(t, { options: { api_version: 'preview' } })
  await callModel(model)
  await embedTexts(kind, connection, 'vectors')
  t.strictSame(
    fake.requests.map(({ path }) => path),
    ['/openai/v1/responses?api-version=preview', '/openai/v1/embeddings?api-version=preview'],
  )
})

t.test('deployments are called by their own addresses where the version is older', async (t) => {
  for (const [options, version] of [
    [{ deployment_urls: true }, '2024-10-21'],
    [{ deployment_urls: true, api: 'responses', api_version: '2024-06-01' }, '2024-06-01'],
  ] as const) {
    const { fake, connection, model } = await start(t, { options, model: 'Prod-GPT-4.1' })
    t.equal(await textOf(model), 'All is well.')
    await embedTexts(kind, connection, 'vectors')
    t.strictSame(
      fake.requests.map(({ path }) => path),
      [
        `/openai/deployments/Prod-GPT-4.1/chat/completions?api-version=${version}`,
        `/openai/deployments/vectors/embeddings?api-version=${version}`,
      ],
    )
    t.notOk('store' in fake.requests[0]!.body, 'which older versions do not know')
  }
})

t.test(
  'Chat Completions are asked where the option says so, with what the wire says otherwise',
  async (t) => {
    const { fake, model } = await start(t, { options: { api: 'chat', reasoning_effort: 'low' } })
    const usage = { input: 120, cached: 40, output: 30, reasoning: 12 }
    fake.queue({ text: ['Hm', '.'], toolCalls: [{ id: 'call_1', name: 'look', input: { at: 'it' } }], usage })
    const options = { ...hello, tools: [toolNamed('look')], maxOutputTokens: 2048 }
    t.match(await callModel(model, options), {
      content: [{ text: 'Hm.' }, { toolName: 'look', input: '{"at":"it"}' }],
      finishReason: { unified: 'tool-calls' },
      usage: { inputTokens: { total: 120, cacheRead: 40 } },
    })
    t.match(fake.requests[0], { path: '/openai/v1/chat/completions', body: { reasoning_effort: 'low' } })
    t.match(readChatRequest(fake.requests[0]!), {
      model: 'thinker',
      max_tokens: 2048,
      tools: [{ name: 'look' }],
    })
  },
)

t.test('no conversation is stored, and thoughts come sealed where the deployment can reason', async (t) => {
  for (const [model, options, include] of [
    ['gpt-5-mini', {}, ['reasoning.encrypted_content']],
    ['thinker', { reasoning_effort: 'high' }, ['reasoning.encrypted_content']],
    ['thinker', {}, undefined],
    ['Prod-GPT-4.1', { reasoning_effort: 'high', reasoning_summary: 'auto' }, undefined],
  ] as const) {
    const started = await start(t, { model, options })
    await callModel(started.model)
    const { body } = started.fake.requests[0]!
    t.equal(body.store, false)
    t.strictSame(body.include, include, `${model} with ${JSON.stringify(options)}`)
    t.equal(body.reasoning?.effort, include && (options as { reasoning_effort?: string }).reasoning_effort)
  }
})

t.test('thoughts that came without a seal stay out of the next step, which works without them', async (t) => {
  const { fake, model } = await start(t)
  fake.queue({ reasoning: ['Hm.'], text: ['Wait.'], toolCalls: [{ id: 'call_1', name: 'look', input: {} }] })
  const { content } = await callModel(model)
  t.match(content[0], { type: 'reasoning', providerMetadata: { azure: { itemId: String } } })
  t.equal(await textOf(model, { prompt: goOn(hello.prompt, content) }), 'All is well.')
})

t.test('tools keep their optional parameters', async (t) => {
  const { fake, model } = await start(t)
  await callModel(model, { ...hello, tools: [toolNamed('ls')] })
  t.match(fake.requests[0]!.body.tools, [{ name: 'ls', strict: false }])
})

t.test('deployments are listed with what they are of', async (t) => {
  const { connection } = await start(t)
  const seeing = { input: ['text', 'image'], tools: true }
  t.strictSame(await list(connection), [
    { id: 'thinker', name: 'thinker (gpt-5-mini)', model_kind: 'chat', ...seeing },
    { id: 'gpt-5-mini', name: 'gpt-5-mini', model_kind: 'chat', ...seeing },
    { id: 'Prod-GPT-4.1', name: 'Prod-GPT-4.1 (gpt-4.1)', model_kind: 'chat', ...seeing },
    { id: 'vectors', name: 'vectors (text-embedding-3-large)', model_kind: 'embedding' },
    { id: 'ears', name: 'ears (whisper)', model_kind: 'transcription' },
  ])
})

t.test(
  'the list is empty where deployments are not listed, but not for a wrong key or address',
  async (t) => {
    const listsDeployments = false
    const { fake, connection } = await start(t, { listsDeployments })
    t.strictSame(await list(connection), [])
    t.match(fake.requests, [{}, { path: '/openai/v1/models', headers: { 'api-key': KEY } }])
    const stranger = await start(t, { listsDeployments, api_key: 'f'.repeat(32) })
    t.match(await failureOf(list(stranger.connection), kind), { reason: 'auth', status: 401 })
    const elsewhere = await start(t, { listsDeployments, address: ({ origin }) => `${origin}/gone/openai` })
    t.match(await failureOf(list(elsewhere.connection), kind), { reason: 'model_not_found', status: 404 })
  },
)

t.test('a missing deployment and one of another kind of model are distinguished', async (t) => {
  const { connection, model } = await start(t, { model: 'nobody' })
  t.match(await failureOf(callModel(model), kind), { reason: 'model_not_found', status: 404 })
  t.match(await failureOf(embedTexts(kind, connection, 'thinker'), kind), {
    reason: 'bad_request',
    status: 400,
  })
})

t.test('the pause that Azure asks for is read from its headers, else from its words', async (t) => {
  const { fake, model } = await start(t)
  fake.queue(
    { refusal: 'rate_limit', retryAfter: 6 },
    { text: ['One'], refusal: 'rate_limit', retryAfter: 8, breakAfter: 0 },
  )
  t.match(await failureOf(callModel(model), kind), {
    reason: 'rate_limit',
    status: 429,
    retry_after_ms: 6000,
  })
  t.match(await failureOf(callModel(model), kind), { reason: 'rate_limit', retry_after_ms: 8000 })
})

t.test('what a stream reports is understood before its first word and after it', async (t) => {
  const refusals = ['quota', 'rate_limit', 'outage', 'bad_request', 'model_not_found', 'auth'] as const
  for (const api of ['responses', 'chat'])
    for (const refusal of refusals)
      for (const breakAfter of [0, 1]) {
        const { fake, model } = await start(t, { options: { api } })
        fake.queue({ text: ['One', ' two'], refusal, breakAfter })
        t.equal((await failureOf(callModel(model), kind)).reason, refusal, `${api}, after ${breakAfter}`)
      }
})
