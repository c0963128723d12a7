import type {
  JSONSchema7,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
} from '@ai-sdk/provider'
import type { Test } from 'tap'
import { AppError, compileSchema } from '#kernel'
import type { ProviderConnection, ProviderKind } from '#plugin-api'
import { explainFailure } from '../../plugins/providers/explained-failure.ts'
import type { FakeVendor, Refusal, VendorReply, VendorRequest } from './fake-vendor.ts'
import {
  callModel,
  connectionTo,
  embedTexts,
  errorOf,
  failureOf,
  goOn,
  leaving,
  listModels,
  readParts,
  said,
  startFake,
  wordsOf,
} from './model-calls.ts'

/** A vendor's request in common terms, read back from its wire. */
export interface ReadRequest {
  model: string
  system: string
  /** In their order; several results in one message come as several entries. */
  messages: (
    | { role: 'user'; text: string; images: { media_type: string; base64: string }[] }
    | { role: 'assistant'; text: string; reasoning: string; toolCalls: { name: string; input: unknown }[] }
    | { role: 'tool'; name?: string; output: string; is_error?: boolean }
  )[]
  tools: { name: string; schema: { properties?: object } }[]
  max_tokens: number | undefined
}

/** A kind with the fake of its vendor. */
export interface KindSubject {
  kind: ProviderKind
  /** Starts a fake that answers only calls with this key. */
  startFake(): Promise<FakeVendor>
  api_key: string
  options?: Record<string, unknown>
  /** The models that the fake lists: one to chat with and, where the kind embeds, one that embeds. */
  model: string
  embedding_model?: string
  readRequest(request: VendorRequest): ReadRequest
  /** What the wire does not count apart. */
  lacks?: ('cached' | 'reasoning_tokens')[]
  /** Environment variables that the client library would read on its own. */
  environment: string[]
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const hello: LanguageModelV3CallOptions = {
  prompt: [{ role: 'system', content: 'Be brief.' }, said('a private question')],
  maxOutputTokens: 2048,
}

const tool = (name: string, field: string): LanguageModelV3FunctionTool => ({
  type: 'function',
  name,
  description: `Does ${name}`,
  inputSchema: {
    type: 'object',
    properties: { [field]: { type: 'string' } },
    required: [field],
    additionalProperties: false,
  } satisfies JSONSchema7,
})

const tools = [tool('look_up', 'word'), tool('measure', 'thing')]

const toolCalls = [
  { id: 'call_one', name: 'look_up', input: { word: 'Größe “x”' } },
  { id: 'call_two', name: 'measure', input: { thing: 'a'.repeat(40) } },
]

const usage = { input: 120, cached: 40, output: 30, reasoning: 12 }

/** The tests that every kind passes, ours and those of others alike. */
export function testProviderKind(t: Test, subject: KindSubject): void {
  const { kind, api_key, model: modelId, lacks = [] } = subject

  const connect = (url: string, more: Partial<ProviderConnection> = {}) =>
    connectionTo(url, { api_key, options: subject.options ?? {}, ...more })

  async function start(t: Test) {
    const fake = await startFake(t, subject.startFake())
    return { fake, model: await kind.languageModel(connect(fake.url), modelId) }
  }

  const call = async (connection: ProviderConnection) =>
    callModel(await kind.languageModel(connection, modelId), hello)

  t.test('the options are described by a closed schema', async (t) => {
    const { properties = {}, additionalProperties } = kind.config_schema as Record<string, object>
    t.equal(additionalProperties, false)
    for (const [name, property] of Object.entries(properties))
      t.match(property, { description: String }, name)
    compileSchema(kind.config_schema, 'json')(structuredClone(subject.options ?? {}))
    for (const language of ['en', 'zh'] as const) {
      t.ok(kind.label[language])
      for (const text of Object.values(kind.guidance ?? {})) t.ok(text[language])
    }
  })

  t.test('text streams as it is sent, with what it cost', async (t) => {
    const { fake, model } = await start(t)
    fake.queue({ text: ['One', ' two', ' — 三'], usage })
    const { parts, finishReason, usage: counted } = await callModel(model, hello)
    t.strictSame(wordsOf(parts), ['One', ' two', ' — 三'])
    t.equal(finishReason.unified, 'stop')
    t.equal(counted.inputTokens.total, usage.input)
    t.equal(counted.outputTokens.total, usage.output)
    if (!lacks.includes('cached')) t.equal(counted.inputTokens.cacheRead, usage.cached)
    const request = subject.readRequest(fake.requests[0]!)
    t.match(request, { model: modelId, system: /Be brief\./, max_tokens: 2048 })
    t.match(request.messages, [{ role: 'user', text: 'a private question' }])
  })

  t.test('thoughts stream before the text', async (t) => {
    const { fake, model } = await start(t)
    fake.queue({ reasoning: ['Let me', ' think.'], text: ['Done.'], usage })
    const { content, usage: counted } = await callModel(model, hello)
    t.match(content.filter(isSpoken), [
      { type: 'reasoning', text: 'Let me think.' },
      { type: 'text', text: 'Done.' },
    ])
    if (!lacks.includes('reasoning_tokens')) t.equal(counted.outputTokens.reasoning, usage.reasoning)
  })

  t.test('an answer cut at its limit says so', async (t) => {
    const { fake, model } = await start(t)
    fake.queue({ text: ['And then'], finish: 'length' })
    t.match(await callModel(model, hello), { finishReason: { unified: 'length' } })
  })

  t.test(
    'tools are called in parallel and get their results back, with the thoughts of the turn',
    async (t) => {
      const { fake, model } = await start(t)
      fake.queue({ reasoning: ['Two things.'], text: ['Wait.'], toolCalls, usage }, { text: ['Both done.'] })
      const first = await callModel(model, { ...hello, tools })
      t.equal(first.finishReason.unified, 'tool-calls')
      const calls = first.content.filter((part) => part.type === 'tool-call')
      t.strictSame(
        calls.map(({ toolName, input }) => [toolName, JSON.parse(input)]),
        toolCalls.map(({ name, input }) => [name, input]),
      )
      t.not(calls[0]!.toolCallId, calls[1]!.toolCallId)

      const prompt = goOn(
        hello.prompt,
        first.content.filter(isSpoken),
        { type: 'text', value: '42' },
        { type: 'error-text', value: 'no ruler' },
      )
      const { content } = await callModel(model, { ...hello, tools, prompt })
      t.match(content.filter(isSpoken), [{ type: 'text', text: 'Both done.' }])

      const { messages, tools: sent } = subject.readRequest(fake.requests[1]!)
      t.match(sent, [
        { name: 'look_up', schema: { properties: { word: {} } } },
        { name: 'measure', schema: { properties: { thing: {} } } },
      ])
      t.match(messages, [
        { role: 'user' },
        { role: 'assistant', toolCalls: toolCalls.map(({ name, input }) => ({ name, input })) },
        { role: 'tool', output: /42/ },
        { role: 'tool', output: /no ruler/ },
      ])
      t.match(messages[1], { reasoning: /./ }, 'the thoughts went back')
    },
  )

  t.test('tool calls of earlier turns are understood, without their thoughts and signatures', async (t) => {
    const { fake, model } = await start(t)
    const [{ id, name, input }] = toolCalls as [(typeof toolCalls)[number]]
    const prompt: LanguageModelV3Message[] = [
      said('Look it up.'),
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: name, input }] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value: '42' } },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'It is 42.' }] },
      said('Sure?'),
    ]
    const { content } = await callModel(model, { ...hello, tools, prompt })
    t.match(content.filter(isSpoken), [{ type: 'text' }])
    t.match(subject.readRequest(fake.requests[0]!).messages, [
      { role: 'user', text: 'Look it up.' },
      { role: 'assistant', toolCalls: [{ name, input }] },
      { role: 'tool', output: /42/ },
      { role: 'assistant', text: 'It is 42.' },
      { role: 'user', text: 'Sure?' },
    ])
  })

  t.test('pictures are sent along', async (t) => {
    const { fake, model } = await start(t)
    const file = { type: 'file' as const, mediaType: 'image/png', data: PIXEL }
    await callModel(model, {
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, file] }],
    })
    t.match(subject.readRequest(fake.requests[0]!).messages, [
      { text: /What is it\?/, images: [{ media_type: 'image/png', base64: PIXEL }] },
    ])
  })

  const refusals: Refusal[] = ['auth', 'quota', 'rate_limit', 'outage', 'model_not_found', 'bad_request']
  for (const refusal of refusals)
    t.test(`a refusal for ${refusal} is understood before an answer`, async (t) => {
      const { fake, model } = await start(t)
      fake.queue({ refusal, ...(refusal === 'rate_limit' && { retryAfter: 7 }) })
      const failure = await failureOf(callModel(model, hello), kind)
      t.equal(failure.reason, refusal)
      t.match(failure.status, Number)
      if (refusal === 'rate_limit') t.equal(failure.retry_after_ms, 7000)
    })

  t.test('a wrong key and a missing one are refused by the vendor', async (t) => {
    const { fake } = await start(t)
    for (const wrong of ['wrong-key-0123456789', undefined])
      t.equal((await failureOf(call(connect(fake.url, { api_key: wrong })), kind)).reason, 'auth')
  })

  t.test('an answer that breaks in the middle fails after what came before', async (t) => {
    const { fake, model } = await start(t)
    for (const refusal of [undefined, 'outage'] as const) {
      fake.queue({ text: ['Half', ' an', ' answer'], breakAfter: 2, refusal })
      const { parts, error } = await readParts(model, hello)
      t.equal(wordsOf(parts).join(''), 'Half an')
      const { reason } = explainFailure(error, kind)
      t.ok(['outage', 'unreachable'].includes(reason), `${refusal ?? 'cut'}: ${reason}`)
    }
  })

  t.test('an abort ends the call before its answer and within it', async (t) => {
    const { fake, model } = await start(t)
    for (const [n, reply] of ([{ hold: new Promise(() => {}) }, {}] as VendorReply[]).entries()) {
      const abort = new AbortController()
      // What is said after the first word is held back for ever by the reader's own abort.
      fake.queue({ text: Array.from({ length: 2000 }, () => ' word'.repeat(50)), ...reply })
      const reading = readParts(model, { ...hello, abortSignal: abort.signal }, ({ type }) => {
        if (type === 'text-delta') abort.abort()
      })
      const { gone } = await fake.request(n)
      if (reply.hold) abort.abort()
      t.ok((await reading).error)
      await t.resolves(leaving(gone), 'the vendor saw the client leave')
    }
  })

  t.test('an address where nobody listens is unreachable', async (t) => {
    const { fake, model } = await start(t)
    await fake.close()
    t.equal((await failureOf(callModel(model, hello), kind)).reason, 'unreachable')
  })

  t.test('the models are listed', async (t) => {
    const { fake } = await start(t)
    const models = await listModels(kind, connect(`${fake.url}/`))
    const ids = models.map(({ id }) => id)
    t.ok(ids.includes(modelId), ids.join())
    if (subject.embedding_model) t.ok(ids.includes(subject.embedding_model), ids.join())
    t.ok(models.every(({ name }) => name))
  })

  const { embedding_model } = subject
  if (embedding_model)
    t.test('texts are embedded', async (t) => {
      const { fake } = await start(t)
      const { embeddings } = await embedTexts(kind, connect(fake.url), embedding_model)
      t.ok(embeddings[0]!.length > 1 && embeddings[0]!.every(Number.isFinite))
    })

  t.test(
    'no request gets past the fetch of the connection, which holds the rules of addresses',
    async (t) => {
      const { fake } = await start(t)
      const refusal = new AppError('ADDRESS_NOT_ALLOWED', { host: 'here' })
      const connection = connect(fake.url, { fetch: () => Promise.reject(refusal) })
      const isRefused = async (attempt: Promise<unknown>) => {
        const error = await errorOf(attempt)
        const causes: unknown[] = []
        for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause)
        t.ok(causes.includes(refusal), `what was thrown tells the refusal: ${error}`)
      }
      await isRefused(call(connection))
      await isRefused(listModels(kind, connection))
      if (embedding_model) await isRefused(embedTexts(kind, connection, embedding_model))
      t.equal(fake.requests.length, 0)
    },
  )

  t.test('nothing of the environment is sent to the vendor', async (t) => {
    const { fake } = await start(t)
    const canary = 'AKIACANARY0123456789'
    const kept = subject.environment.map((name) => [name, process.env[name]] as const)
    t.teardown(() => {
      for (const [name, value] of kept) {
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
      }
    })
    for (const name of subject.environment)
      process.env[name] = /URL|HOST|ENDPOINT/.test(name) ? `http://127.0.0.1:9/${canary}` : canary
    const bare = connect(fake.url, { api_key: undefined, options: barely(subject.options) })
    const attempt = (task: Promise<unknown>) => task.catch((error) => t.notMatch(String(error), canary))
    await attempt(call(bare))
    await attempt(listModels(kind, bare))
    if (embedding_model) await attempt(embedTexts(kind, bare, embedding_model))
    t.ok(fake.requests.length > 0, 'the base URL of the provider was called')
    const seen = fake.requests.map(({ path, headers, body }) => JSON.stringify([path, headers, body]))
    t.notMatch(seen.join('\n'), new RegExp(`${canary}|${Buffer.from(canary).toString('base64')}`))
  })
}

/** Options without those that name or hold credentials. */
const barely = (options: Record<string, unknown> = {}) =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !/key|secret|token/.test(name)))

/** An empty part says nothing; libraries differ in whether they make one. */
const isSpoken = (part: LanguageModelV3Content) => part.type !== 'text' || part.text !== ''
