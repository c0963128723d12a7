import { APICallError } from '@ai-sdk/provider'
import type { ProviderConnection } from '#plugin-api'
import { startFakeVendor, type VendorRequest } from '../../plugin-api/testing/fake-vendor.ts'
import type { ReadRequest } from '../../plugin-api/testing/provider-bench.ts'
import { testProviderKind } from '../../plugin-api/testing/provider-kind-suite.ts'
import { explainFailure } from '../../plugins/models/providers/explained-failure.ts'
import kind from '../../providers/google/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { createFakeGoogle } from '../support/fake-google.ts'
import { builtIn } from '../support/kit.ts'
import {
  callModel,
  connectionTo,
  embedTexts,
  errorOf,
  goOn,
  hello,
  leaving,
  listModels,
  readParts,
  startAnswering,
  startFake,
  wordsOf,
} from '../support/model-calls.ts'

const KEY = 'AIzaSyTest0123456789abcdef'
const MODEL = 'gemini-3.5-flash'

testProviderKind({
  ...builtIn(t),
  kind,
  startFake: () => createFakeGoogle({ key: KEY }),
  api_key: KEY,
  model: MODEL,
  embedding_model: 'gemini-embedding-001',
  image_model: 'imagen-4.0-generate-001',
  transcription_model: 'gemini-3.5-transcribe',
  readRequest,
  environment: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY', 'GEMINI_API_KEY'],
})

interface Part {
  text?: string
  thought?: boolean
  inlineData?: { mimeType: string; data: string }
  functionCall?: { name: string; args: unknown }
  functionResponse?: { name: string; response: { content: unknown } }
}

function readRequest({ path, body }: VendorRequest): ReadRequest {
  const textOf = (parts: Part[]) => parts.map(({ text = '' }) => text).join('')
  return {
    model: /models\/([^:]+)/.exec(path)![1]!,
    system: textOf(body.systemInstruction?.parts ?? []),
    messages: (body.contents as { role: string; parts: Part[] }[]).flatMap(
      ({ role, parts }): ReadRequest['messages'] => {
        if (role === 'model')
          return [
            {
              role: 'assistant',
              text: textOf(parts.filter(({ thought }) => !thought)),
              reasoning: textOf(parts.filter(({ thought }) => thought)),
              toolCalls: parts.flatMap(({ functionCall: call }) =>
                call ? [{ name: call.name, input: call.args }] : [],
              ),
            },
          ]
        const answers = parts.flatMap(({ functionResponse }) => functionResponse ?? [])
        if (answers.length > 0)
          return answers.map(({ name, response }) => ({
            role: 'tool',
            name,
            output: String(response.content),
          }))
        const images = parts.flatMap(({ inlineData: image }) =>
          image ? [{ media_type: image.mimeType, base64: image.data }] : [],
        )
        return [{ role: 'user', text: textOf(parts), images }]
      },
    ),
    tools: (body.tools ?? []).flatMap(
      (tool: { functionDeclarations: { name: string; parameters: object }[] }) =>
        tool.functionDeclarations.map(({ name, parameters }) => ({ name, schema: parameters })),
    ),
    max_tokens: body.generationConfig.maxOutputTokens,
  }
}

const connect = (base_url: string, more: Partial<ProviderConnection> = {}) =>
  connectionTo(base_url, { api_key: KEY, ...more })

const start = (t: Test, options: { pageSize?: number } = {}) =>
  startFake(t, createFakeGoogle({ key: KEY, ...options }))

const open = (url: string, options: ProviderConnection['options'] = {}, modelId = MODEL) =>
  kind.languageModel(connect(url, { options }), modelId)

/** Reads the answer of a service with this text, in pieces of this many bytes. */
async function readAnswerOf(t: Test, text: string, size?: number) {
  const fake = await startAnswering(t, text, { size, basePath: '/v1beta' })
  const { parts, error } = await readParts(await open(fake.url))
  return { parts, error: error as APICallError | undefined }
}

const event = (value: unknown) => `data: ${JSON.stringify(value)}\r\n\r\n`
const saying = (text: string, more = {}) => ({
  candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }],
})

t.test('each model gets the settings of thinking that it takes, and no other', async (t) => {
  const fake = await start(t)
  const cases = [
    [MODEL, {}, { includeThoughts: true }],
    [MODEL, { thinking_level: 'low' }, { includeThoughts: true, thinkingLevel: 'low' }],
    [MODEL, { thinking_budget: 500 }, { includeThoughts: true, thinkingBudget: 500 }],
    [
      MODEL,
      { thinking_level: 'high', thinking_budget: 500 },
      { includeThoughts: true, thinkingLevel: 'high' },
    ],
    ['gemini-2.5-flash', {}, { includeThoughts: true }],
    ['gemini-2.5-flash', { thinking_level: 'low' }, { includeThoughts: true }],
    ['gemini-2.5-flash', { thinking_budget: -1 }, { includeThoughts: true, thinkingBudget: -1 }],
    ['gemini-2.5-flash', { thinking_budget: 0 }, { thinkingBudget: 0 }],
    ['gemini-2.5-flash-lite', {}, undefined],
    ['gemini-2.5-flash-lite', { thinking_budget: 512 }, { includeThoughts: true, thinkingBudget: 512 }],
    ['gemini-2.0-flash', { thinking_level: 'low', thinking_budget: 500 }, undefined],
    ['models/gemini-2.5-flash', {}, { includeThoughts: true }],
  ] as const
  for (const [modelId, options, expected] of cases) {
    const { finishReason } = await callModel(await open(fake.url, options, modelId))
    t.equal(finishReason.unified, 'stop', `${modelId} with ${JSON.stringify(options)}`)
    t.strictSame(fake.requests.at(-1)!.body.generationConfig.thinkingConfig, expected)
  }
})

t.test('the threshold of safety is asked for in every category', async (t) => {
  const fake = await start(t)
  await callModel(await open(fake.url, { safety_threshold: 'BLOCK_ONLY_HIGH' }))
  const { safetySettings } = fake.requests[0]!.body
  t.equal(safetySettings.length, 4)
  t.ok(safetySettings.every(({ threshold }: { threshold: string }) => threshold === 'BLOCK_ONLY_HIGH'))
  await callModel(await open(fake.url))
  t.equal(fake.requests[1]!.body.safetySettings, undefined)
})

t.test('settings of one call go before those of the provider', async (t) => {
  const fake = await start(t)
  const google = { thinkingConfig: { thinkingLevel: 'high' } }
  const options = { ...hello, providerOptions: { google } }
  await callModel(await open(fake.url, { thinking_level: 'low' }), options)
  t.strictSame(fake.requests[0]!.body.generationConfig.thinkingConfig, google.thinkingConfig)
})

t.test('the signature of a call goes back with it, and without one the service refuses', async (t) => {
  const fake = await start(t)
  const input = { path: 'a' }
  fake.queue({ toolCalls: ['a', 'b'].map((id) => ({ id, name: 'ls', input })) })
  const model = await open(fake.url)
  const { content } = await callModel(model)
  await callModel(model, { prompt: goOn(hello.prompt, content) })
  const [, { parts: sent }, { parts: answers }] = fake.requests[1]!.body.contents
  t.match(sent[0], { thoughtSignature: /^\S{40,}$/, functionCall: { id: 'a' } })
  t.equal(sent[1].thoughtSignature, undefined)
  t.match(answers, [{ functionResponse: { id: 'a' } }, { functionResponse: { id: 'b' } }])

  const providerMetadata = { google: { thoughtSignature: 'Zm9yZWlnbg==' } }
  const foreign = content.map((part) => ({ ...part, providerMetadata }))
  const refused = await errorOf(callModel(model, { prompt: goOn(hello.prompt, foreign) }))
  t.match(refused, { statusCode: 400, message: 'Corrupted thought signature.' })
})

t.test('all pages of the list are read, and each model has its kind', async (t) => {
  const fake = await start(t, { pageSize: 2 })
  const models = await listModels(kind, connect(fake.url))
  t.equal(fake.requests.length, 4)
  t.ok(fake.requests.every(({ path, headers }) => !path.includes(KEY) && headers['x-goog-api-key'] === KEY))
  const context_window = 1_048_576
  const sees = { input: ['text', 'image'], tools: true }
  const chat = { model_kind: 'chat', context_window, max_output_tokens: 65_536, reasoning: true, ...sees }
  t.strictSame(models, [
    { ...chat, id: 'gemini-2.0-flash', name: 'Gemini 2.0 Flash', max_output_tokens: 8192, reasoning: false },
    { ...chat, id: 'gemini-2.5-flash', name: 'Gemini 2.5 Flash' },
    { ...chat, id: 'gemini-2.5-flash-lite', name: 'Gemini 2.5 Flash-Lite' },
    { ...chat, id: MODEL, name: 'Gemini 3.5 Flash' },
    {
      id: 'gemini-3.5-transcribe',
      name: 'Gemini 3.5 Transcribe',
      model_kind: 'transcription',
      context_window,
      max_output_tokens: 65_536,
      reasoning: false,
    },
    { id: 'imagen-4.0-generate-001', name: 'Imagen 4', context_window: 480, model_kind: 'image' },
    {
      id: 'gemini-embedding-001',
      name: 'Gemini Embedding 001',
      context_window: 2048,
      model_kind: 'embedding',
    },
  ])
})

t.test('a list is refused as an answer is, and can be given up', async (t) => {
  const fake = await start(t)
  const list = (more: Partial<ProviderConnection>, signal?: AbortSignal) =>
    errorOf(listModels(kind, connect(fake.url, more), signal))
  const wrong = await list({ api_key: 'wrong' })
  t.match(wrong, { statusCode: 400, message: 'API key not valid. Please pass a valid API key.' })
  t.match(explainFailure(wrong, kind), { reason: 'auth' })
  t.match(await list({ api_key: undefined }), { statusCode: 403 })
  t.notOk('x-goog-api-key' in fake.requests.at(-1)!.headers)
  t.match(await list({}, AbortSignal.abort()), { name: 'AbortError' })
})

t.test('several texts are embedded in one request', async (t) => {
  const fake = await start(t)
  const model = 'models/gemini-embedding-001'
  const { embeddings } = await embedTexts(kind, connect(fake.url), model, ['a', 'b', 'a'])
  t.equal(embeddings.length, 3)
  t.strictSame(embeddings[0], embeddings[2])
  t.notSame(embeddings[0], embeddings[1])
  t.equal(fake.requests.length, 1)
})

t.test('errors that Google sorts in details of its own are understood', async (t) => {
  const rpc = (code: number, status: string, message: string, details?: object[]) => ({
    error: { code, status, message, details },
  })
  const exhausted = (message: string, details?: object[]) => rpc(429, 'RESOURCE_EXHAUSTED', message, details)
  const violation = (...quotaIds: string[]) => ({ violations: quotaIds.map((quotaId) => ({ quotaId })) })
  const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '33.5s' }
  const current = 'You exceeded your current quota, please check your plan and billing details.'
  const minute = 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier'
  const day = 'GenerateRequestsPerDayPerProjectPerModel-FreeTier'
  const cases = [
    [exhausted(current, [violation(minute), retry]), { reason: 'rate_limit', retry_after_ms: 33_500 }],
    [exhausted('Resource has been exhausted (e.g. check quota).'), { reason: 'rate_limit' }],
    [exhausted(current, [violation(minute, day), retry]), { reason: 'quota' }],
    [
      exhausted(`${current}\n* Quota exceeded, limit: 0, model: x`, [violation(minute), retry]),
      { reason: 'quota' },
    ],
    [exhausted(current), { reason: 'quota' }],
    [exhausted('Your prepayment credits are depleted.'), { reason: 'quota' }],
    [exhausted('Your project has exceeded its monthly spending cap.'), { reason: 'quota' }],
    [rpc(400, 'FAILED_PRECONDITION', 'Please enable billing on your project.'), { reason: 'quota' }],
    [rpc(403, 'PERMISSION_DENIED', 'No billing.', [{ reason: 'BILLING_DISABLED' }]), { reason: 'quota' }],
    [rpc(400, 'INVALID_ARGUMENT', 'API key expired.', [{ reason: 'API_KEY_INVALID' }]), { reason: 'auth' }],
    [
      rpc(400, 'INVALID_ARGUMENT', '* GenerateContentRequest.model: unexpected model name format\n'),
      { reason: 'model_not_found' },
    ],
    [
      rpc(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
      { reason: 'bad_request' },
    ],
    [rpc(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'), { reason: 'outage' }],
  ] as const
  for (const [data, expected] of cases) {
    const { code, message } = data.error
    const error = new APICallError({ message, url: '', requestBodyValues: {}, statusCode: code, data })
    t.strictSame(explainFailure(error, kind), { status: code, ...expected }, message)
  }
})

t.test(
  'an error that ends a stream is reported with its status, in whatever pieces it arrives',
  async (t) => {
    const reported = {
      code: 429,
      message: 'Slow down.',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ retryDelay: '2s' }],
    }
    const half = event(saying('Half'))
    for (const tail of [
      JSON.stringify({ error: reported }, null, 2),
      `${JSON.stringify({ error: reported })}\n`,
      event({ error: reported }),
    ])
      for (const size of [1, 7, 1000]) {
        const { parts, error } = await readAnswerOf(t, half + tail, size)
        t.strictSame(wordsOf(parts), ['Half'])
        t.equal(parts.at(-1)!.type, 'error')
        t.notOk(parts.some(({ type }) => type === 'finish'))
        t.match(error, { statusCode: 429, message: 'Slow down.' })
        t.match(explainFailure(error, kind), { status: 429, reason: 'rate_limit', retry_after_ms: 2000 })
      }
  },
)

t.test('a stream that goes on behind an error is given up', async (t) => {
  const endless = startFakeVendor({
    async serve({ open, write }) {
      open('text/event-stream')
      await write(
        event({ error: { code: 500, message: 'An internal error has occurred.', status: 'INTERNAL' } }),
      )
      for (;;) await write(event(saying('never heard')))
    },
  })
  const fake = await startFake(t, endless)
  t.match(await errorOf(callModel(await open(fake.url))), { statusCode: 500 })
  await leaving(fake.requests[0]!.gone)
})

t.test('an answer without an end is an error', async (t) => {
  const half = event(saying('Half'))
  for (const text of ['', half, `${half}{"error": {"code": 503`, `${half}data: {"cand`]) {
    const { parts } = await readAnswerOf(t, text)
    t.match(parts.at(-1), { type: 'error' }, JSON.stringify(text))
  }
})

t.test('a question or an answer that Google blocks is an error that says why', async (t) => {
  const promptFeedback = { blockReason: 'PROHIBITED_CONTENT' }
  const blocked = [
    { promptFeedback, usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } },
    { candidates: [{ finishReason: 'SAFETY', finishMessage: 'It would harm.', index: 0 }] },
  ]
  for (const [n, chunk] of blocked.entries()) {
    const { error } = await readAnswerOf(t, event(chunk))
    t.match(error!.message, n === 0 ? /PROHIBITED_CONTENT/ : /SAFETY, It would harm\./)
    t.match(explainFailure(error, kind), { reason: 'bad_request' })
  }
})

t.test('what was said before a block stays, and a call that Google cannot read is an error', async (t) => {
  const blocked = event({ candidates: [{ finishReason: 'SAFETY', index: 0 }] })
  const kept = await readAnswerOf(t, event(saying('So')) + blocked)
  t.match(kept.parts.at(-1), { type: 'finish', finishReason: { unified: 'content-filter', raw: 'SAFETY' } })
  const malformed = { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }] }
  const broken = await readAnswerOf(t, event(saying('I call.')) + event(malformed))
  t.match(broken.error!.message, /MALFORMED_FUNCTION_CALL/)
})
