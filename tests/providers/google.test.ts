import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { APICallError } from '@ai-sdk/provider'
import t, { type Test } from 'tap'
import type { ProviderConnection } from '#kernel'
import { explainFailure } from '../../plugins/providers/explained-failure.ts'
import kind from '../../providers/google/index.ts'
import { createFakeGoogle } from '../support/fake-google.ts'
import { startFakeVendor, type VendorRequest } from '../support/fake-vendor.ts'
import { type ReadRequest, testProviderKind } from '../support/provider-kind-suite.ts'

const KEY = 'AIzaSyTest0123456789abcdef'
const MODEL = 'gemini-3.5-flash'

testProviderKind(t, {
  kind,
  startFake: () => createFakeGoogle({ key: KEY }),
  api_key: KEY,
  model: MODEL,
  embedding_model: 'gemini-embedding-001',
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

const user = (text: string): LanguageModelV3Message => ({ role: 'user', content: [{ type: 'text', text }] })
const hello: LanguageModelV3CallOptions = { prompt: [user('Hello.')] }

const connect = (base_url: string, more: Partial<ProviderConnection> = {}): ProviderConnection => ({
  base_url,
  api_key: KEY,
  options: {},
  fetch,
  ...more,
})

async function start(t: Test, options: { pageSize?: number } = {}) {
  const fake = await createFakeGoogle({ key: KEY, ...options })
  t.teardown(() => fake.close())
  return fake
}

/** A service that answers every request with this, in pieces of so many bytes. */
async function answer(t: Test, text: string, { type = 'text/event-stream', size = 1000 } = {}) {
  const fake = await startFakeVendor({
    basePath: '/v1beta',
    async serve({ open, write, end }) {
      open(type)
      const bytes = new TextEncoder().encode(text)
      for (let at = 0; at < bytes.length; at += size) await write(bytes.slice(at, at + size))
      end()
    },
  })
  t.teardown(() => fake.close())
  return fake
}

async function stream(url: string, options = hello, modelId = MODEL, more: Partial<ProviderConnection> = {}) {
  const model = await kind.languageModel(connect(url, more), modelId)
  const parts: LanguageModelV3StreamPart[] = []
  for await (const part of (await model.doStream(options)).stream) parts.push(part)
  return parts
}

async function failureOf(promise: Promise<LanguageModelV3StreamPart[]>): Promise<APICallError> {
  try {
    const end = (await promise).at(-1)
    if (end?.type === 'error') return end.error as APICallError
  } catch (error) {
    return error as APICallError
  }
  throw new Error('the call did not fail')
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
    const parts = await stream(fake.url, hello, modelId, { options })
    t.match(parts.at(-1), { type: 'finish' }, `${modelId} with ${JSON.stringify(options)}`)
    t.strictSame(fake.requests.at(-1)!.body.generationConfig.thinkingConfig, expected)
  }
})

t.test('the threshold of safety is asked for in every category', async (t) => {
  const fake = await start(t)
  await stream(fake.url, hello, MODEL, { options: { safety_threshold: 'BLOCK_ONLY_HIGH' } })
  const { safetySettings } = fake.requests[0]!.body
  t.equal(safetySettings.length, 4)
  t.ok(safetySettings.every(({ threshold }: { threshold: string }) => threshold === 'BLOCK_ONLY_HIGH'))
  await stream(fake.url)
  t.equal(fake.requests[1]!.body.safetySettings, undefined)
})

t.test(
  'settings of one call go before those of the provider, and raw events are given when asked for',
  async (t) => {
    const fake = await start(t)
    const google = { thinkingConfig: { thinkingLevel: 'high' } }
    const options = { ...hello, providerOptions: { google }, includeRawChunks: true }
    const parts = await stream(fake.url, options, MODEL, { options: { thinking_level: 'low' } })
    t.strictSame(fake.requests[0]!.body.generationConfig.thinkingConfig, google.thinkingConfig)
    t.ok(parts.some(({ type }) => type === 'raw'))
  },
)

t.test('the signature of a call goes back with it, and without one the service refuses', async (t) => {
  const fake = await start(t)
  const input = { path: 'a' }
  fake.queue({ toolCalls: ['a', 'b'].map((id) => ({ id, name: 'ls', input })) })
  const parts = await stream(fake.url)
  const calls = parts.filter((part) => part.type === 'tool-call')
  const next = (providerOptions: (n: number) => LanguageModelV3StreamPart | object | undefined) => ({
    prompt: [
      ...hello.prompt,
      {
        role: 'assistant' as const,
        content: calls.map(({ toolCallId, toolName }, n) => ({
          type: 'tool-call' as const,
          toolCallId,
          toolName,
          input,
          providerOptions: providerOptions(n) as never,
        })),
      },
      ...calls.map(({ toolCallId, toolName }) => ({
        role: 'tool' as const,
        content: [
          {
            type: 'tool-result' as const,
            toolCallId,
            toolName,
            output: { type: 'text' as const, value: 'x' },
          },
        ],
      })),
    ],
  })
  t.match(
    (
      await stream(
        fake.url,
        next((n) => calls[n]!.providerMetadata),
      )
    ).at(-1),
    { type: 'finish' },
  )
  const [, { parts: sent }, { parts: answers }] = fake.requests[1]!.body.contents
  t.match(sent[0], { thoughtSignature: /^\S{40,}$/, functionCall: { id: 'a' } })
  t.equal(sent[1].thoughtSignature, undefined)
  t.match(answers, [{ functionResponse: { id: 'a' } }, { functionResponse: { id: 'b' } }])

  const foreign = { google: { thoughtSignature: 'Zm9yZWlnbg==' } }
  const refused = await failureOf(
    stream(
      fake.url,
      next(() => foreign),
    ),
  )
  t.match(refused, { statusCode: 400, message: 'Corrupted thought signature.' })
})

t.test('all pages of the list are read, and only what chats or embeds is kept', async (t) => {
  const fake = await start(t, { pageSize: 2 })
  const models = await kind.listModels(connect(fake.url), AbortSignal.timeout(5000))
  t.equal(fake.requests.length, 3)
  t.ok(fake.requests.every(({ path, headers }) => !path.includes(KEY) && headers['x-goog-api-key'] === KEY))
  const context_window = 1_048_576
  const chat = { embedding: false, context_window, max_output_tokens: 65_536, reasoning: true }
  t.strictSame(models, [
    { ...chat, id: 'gemini-2.0-flash', name: 'Gemini 2.0 Flash', max_output_tokens: 8192, reasoning: false },
    { ...chat, id: 'gemini-2.5-flash', name: 'Gemini 2.5 Flash' },
    { ...chat, id: 'gemini-2.5-flash-lite', name: 'Gemini 2.5 Flash-Lite' },
    { ...chat, id: MODEL, name: 'Gemini 3.5 Flash' },
    { id: 'gemini-embedding-001', name: 'Gemini Embedding 001', context_window: 2048, embedding: true },
  ])
})

t.test('a list is refused as an answer is, and can be given up', async (t) => {
  const fake = await start(t)
  const list = (more: Partial<ProviderConnection>, signal = AbortSignal.timeout(5000)) =>
    kind.listModels(connect(fake.url, more), signal).then(
      () => t.fail('this must fail'),
      (error: unknown) => error,
    )
  const wrong = (await list({ api_key: 'wrong' })) as APICallError
  t.match(wrong, { statusCode: 400, message: 'API key not valid. Please pass a valid API key.' })
  t.match(explainFailure(wrong, kind), { reason: 'auth' })
  t.match(await list({ api_key: undefined }), { statusCode: 403 })
  t.notOk('x-goog-api-key' in fake.requests.at(-1)!.headers)
  t.match(await list({}, AbortSignal.abort()), { name: 'AbortError' })
})

t.test('several texts are embedded in one request', async (t) => {
  const fake = await start(t)
  const model = await kind.embeddingModel!(connect(fake.url), 'models/gemini-embedding-001')
  const { embeddings } = await model.doEmbed({ values: ['a', 'b', 'a'] })
  t.equal(embeddings.length, 3)
  t.strictSame(embeddings[0], embeddings[2])
  t.notSame(embeddings[0], embeddings[1])
  t.equal(fake.requests.length, 1)
})

t.test('an answer that is not streamed is complete, and thinks as well', async (t) => {
  const fake = await start(t)
  fake.queue({ reasoning: ['Hm.'], text: ['Yes.'] })
  const model = await kind.languageModel(connect(fake.url), MODEL)
  t.match(await model.doGenerate(hello), {
    content: [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes.' },
    ],
    finishReason: { unified: 'stop' },
  })
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

t.test('an error that ends a stream is told with its status, in whatever pieces it comes', async (t) => {
  const error = {
    code: 429,
    message: 'Slow down.',
    status: 'RESOURCE_EXHAUSTED',
    details: [{ retryDelay: '2s' }],
  }
  const before = event(saying('Half'))
  for (const tail of [JSON.stringify({ error }, null, 2), `${JSON.stringify({ error })}\n`, event({ error })])
    for (const size of [1, 7, 1000]) {
      const fake = await answer(t, before + tail, { size })
      const parts = await stream(fake.url)
      t.ok(parts.some((part) => part.type === 'text-delta' && part.delta === 'Half'))
      t.notOk(parts.some(({ type }) => type === 'finish'))
      const failure = (parts.at(-1) as { error: APICallError }).error
      t.match(failure, { statusCode: 429, message: 'Slow down.' })
      t.match(explainFailure(failure, kind), { status: 429, reason: 'rate_limit', retry_after_ms: 2000 })
    }
})

t.test('a stream that goes on behind an error is given up', async (t) => {
  const fake = await startFakeVendor({
    async serve({ open, write }) {
      open('text/event-stream')
      await write(
        event({ error: { code: 500, message: 'An internal error has occurred.', status: 'INTERNAL' } }),
      )
      for (;;) await write(event(saying('never heard')))
    },
  })
  t.teardown(() => fake.close())
  t.match(await failureOf(stream(fake.url)), { statusCode: 500 })
  const { gone } = fake.requests[0]!
  if (!gone.aborted) await new Promise((resolve) => gone.addEventListener('abort', resolve))
})

t.test('an answer without an end is an error', async (t) => {
  const half = event(saying('Half'))
  for (const text of ['', half, `${half}{"error": {"code": 503`, `${half}data: {"cand`]) {
    const fake = await answer(t, text)
    t.match((await stream(fake.url)).at(-1), { type: 'error' }, JSON.stringify(text))
  }
})

t.test('a question or an answer that Google blocks is an error that says why', async (t) => {
  const promptFeedback = { blockReason: 'PROHIBITED_CONTENT' }
  const blocked = [
    { promptFeedback, usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } },
    { candidates: [{ finishReason: 'SAFETY', finishMessage: 'It would harm.', index: 0 }] },
  ]
  for (const [n, chunk] of blocked.entries()) {
    const fake = await answer(t, event(chunk))
    const failure = await failureOf(stream(fake.url))
    t.match(failure.message, n === 0 ? /PROHIBITED_CONTENT/ : /SAFETY, It would harm\./)
    t.match(explainFailure(failure, kind), { reason: 'bad_request' })
    const whole = await answer(t, JSON.stringify(chunk), { type: 'application/json' })
    const model = await kind.languageModel(connect(whole.url), MODEL)
    await t.rejects(Promise.resolve(model.doGenerate(hello)), { message: failure.message })
  }
})

t.test('what was said before a block stays, and a call that Google cannot read is an error', async (t) => {
  const cut = await answer(
    t,
    event(saying('So')) + event({ candidates: [{ finishReason: 'SAFETY', index: 0 }] }),
  )
  const kept = await stream(cut.url)
  t.match(kept.at(-1), { type: 'finish', finishReason: { unified: 'content-filter', raw: 'SAFETY' } })
  const malformed = { candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }] }
  const broken = await answer(t, event(saying('I call.')) + event(malformed))
  t.match((await failureOf(stream(broken.url))).message, /MALFORMED_FUNCTION_CALL/)
})
