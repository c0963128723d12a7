import type {
  JSONSchema7,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import type { Test } from 'tap'
import { AppError, compileSchema, type ProviderConnection, type ProviderKind } from '#kernel'
import { readAnswer } from '../../plugins/chat/model-answer.ts'
import { assistantMessage } from '../../plugins/chat/model-context.ts'
import { explainFailure } from '../../plugins/providers/explained-failure.ts'
import type { FakeVendor, Refusal, VendorReply, VendorRequest } from './fake-vendor.ts'

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
  /** Starts a fake that answers only calls with this key (or with these secret options). */
  startFake(): Promise<FakeVendor>
  api_key: string | undefined
  options?: Record<string, unknown>
  /** The models that the fake lists: one to chat with and, where the kind embeds, one that embeds. */
  model: string
  embedding_model?: string
  readRequest(request: VendorRequest): ReadRequest
  /** What the wire cannot say, e.g. Ollama no quota and no cached tokens. */
  lacks?: ('cached' | 'reasoning_tokens' | 'quota' | 'rate_limit' | 'auth' | 'signature')[]
  /** Environment variables that the client library would read on its own. */
  environment: string[]
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const said = (text: string): LanguageModelV3Message => ({ role: 'user', content: [{ type: 'text', text }] })

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

  const connect = (url: string, more: Partial<ProviderConnection> = {}): ProviderConnection => ({
    base_url: url,
    api_key,
    options: subject.options ?? {},
    fetch,
    ...more,
  })

  async function start(t: Test) {
    const fake = await subject.startFake()
    t.teardown(() => fake.close())
    return { fake, model: await kind.languageModel(connect(fake.url), modelId) }
  }

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
    const held = deferred()
    fake.queue({ text: ['One', ' two', ' — 三'], usage, hold: held.promise })
    const answer = model.doStream(hello)
    held.resolve()
    const { stream } = await answer
    const parts: LanguageModelV3StreamPart[] = []
    for await (const part of stream) parts.push(part)
    const deltas = parts.flatMap((part) => (part.type === 'text-delta' && part.delta ? [part.delta] : []))
    t.strictSame(deltas, ['One', ' two', ' — 三'])
    const finish = parts.find((part) => part.type === 'finish')
    t.equal(finish?.finishReason.unified, 'stop')
    t.equal(finish?.usage.inputTokens.total, usage.input)
    t.equal(finish?.usage.outputTokens.total, usage.output)
    if (!lacks.includes('cached')) t.equal(finish?.usage.inputTokens.cacheRead, usage.cached)
    const request = subject.readRequest(fake.requests[0]!)
    t.match(request, { model: modelId, system: /Be brief\./, max_tokens: 2048 })
    t.match(request.messages, [{ role: 'user', text: 'a private question' }])
  })

  t.test('thoughts stream before the text', async (t) => {
    const { fake, model } = await start(t)
    fake.queue({ reasoning: ['Let me', ' think.'], text: ['Done.'], usage })
    const { content, usage: counted } = await call(model, hello)
    t.match(content, [
      { type: 'reasoning', text: 'Let me think.' },
      { type: 'text', text: 'Done.' },
    ])
    if (!lacks.includes('reasoning_tokens')) t.equal(counted.outputTokens.reasoning, usage.reasoning)
  })

  t.test('an answer cut at its limit says so', async (t) => {
    const { fake, model } = await start(t)
    fake.queue({ text: ['And then'], finish: 'length' })
    t.match(await call(model, hello), { finishReason: { unified: 'length' } })
  })

  t.test(
    'tools are called in parallel and get their results back, with the thoughts of the turn',
    async (t) => {
      const { fake, model } = await start(t)
      fake.queue({ reasoning: ['Two things.'], text: ['Wait.'], toolCalls, usage }, { text: ['Both done.'] })
      const first = await call(model, { ...hello, tools })
      t.equal(first.finishReason.unified, 'tool-calls')
      const calls = first.content.filter((part) => part.type === 'tool-call')
      t.strictSame(
        calls.map(({ toolName, input }) => [toolName, JSON.parse(input)]),
        toolCalls.map(({ name, input }) => [name, input]),
      )
      t.not(calls[0]!.toolCallId, calls[1]!.toolCallId)

      const results = calls.map(({ toolCallId, toolName }, index): LanguageModelV3Message => {
        const output = index === 0 ? { type: 'text' as const, value: '42' } : undefined
        const failed = { type: 'error-text' as const, value: 'no ruler' }
        return {
          role: 'tool',
          content: [{ type: 'tool-result', toolCallId, toolName, output: output ?? failed }],
        }
      })
      const second = {
        ...hello,
        tools,
        prompt: [...hello.prompt, assistantMessage(first.content), ...results],
      }
      t.match((await call(model, second)).content, [{ type: 'text', text: 'Both done.' }])

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
      if (!lacks.includes('signature')) t.match(messages[1], { reasoning: /./ }, 'the thoughts went back')
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
    t.match((await call(model, { ...hello, tools, prompt })).content, [{ type: 'text' }])
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
    await call(model, { prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, file] }] })
    t.match(subject.readRequest(fake.requests[0]!).messages, [
      { text: /What is it\?/, images: [{ media_type: 'image/png', base64: PIXEL }] },
    ])
  })

  const refusals: Refusal[] = ['auth', 'quota', 'rate_limit', 'outage', 'model_not_found', 'bad_request']
  for (const refusal of refusals.filter((refusal) => !(lacks as string[]).includes(refusal)))
    t.test(`a refusal for ${refusal} is understood before an answer`, async (t) => {
      const { fake, model } = await start(t)
      fake.queue({ refusal, ...(refusal === 'rate_limit' && { retryAfter: 7 }) })
      const failure = explainFailure(await errorOf(model, hello), kind)
      t.equal(failure.reason, refusal)
      t.match(failure.status, Number)
      if (refusal === 'rate_limit') t.equal(failure.retry_after_ms, 7000)
    })

  if (!lacks.includes('auth'))
    t.test('a wrong key and a missing one are refused by the vendor', async (t) => {
      const { fake } = await start(t)
      const wrong = typeof api_key === 'string' ? { api_key: 'wrong-key-0123456789' } : { options: {} }
      for (const more of [wrong, { api_key: undefined }] as Partial<ProviderConnection>[]) {
        const model = await kind.languageModel(connect(fake.url, more), modelId)
        t.equal(explainFailure(await errorOf(model, hello), kind).reason, 'auth')
      }
    })

  t.test('an answer that breaks in the middle fails after what came before', async (t) => {
    const { fake, model } = await start(t)
    for (const refusal of [undefined, 'outage'] as const) {
      fake.queue({ text: ['Half', ' an', ' answer'], breakAfter: 2, refusal })
      let text = ''
      const error = await errorOf(model, hello, (delta) => {
        text += delta
      })
      t.equal(text, 'Half an')
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
      const failed = errorOf(model, { ...hello, abortSignal: abort.signal }, () => abort.abort())
      const { gone } = await fake.request(n)
      if (reply.hold) abort.abort()
      t.ok(await failed)
      if (!gone.aborted) await new Promise((resolve) => gone.addEventListener('abort', resolve))
      t.pass('the vendor saw the client leave')
    }
  })

  t.test('an address where nobody listens is unreachable', async (t) => {
    const { fake, model } = await start(t)
    await fake.close()
    t.equal(explainFailure(await errorOf(model, hello), kind).reason, 'unreachable')
  })

  t.test('the models are listed', async (t) => {
    const { fake } = await start(t)
    const models = await kind.listModels(connect(`${fake.url}/`), AbortSignal.timeout(5000))
    const ids = models.map(({ id }) => id)
    t.ok(ids.includes(modelId), ids.join())
    if (subject.embedding_model) t.ok(ids.includes(subject.embedding_model), ids.join())
    t.ok(models.every(({ name }) => name))
  })

  const { embedding_model } = subject
  if (embedding_model)
    t.test('texts are embedded', async (t) => {
      const { fake } = await start(t)
      const model = await kind.embeddingModel!(connect(fake.url), embedding_model)
      const { embeddings } = await model.doEmbed({ values: ['OK'] })
      t.ok(embeddings[0]!.length > 1 && embeddings[0]!.every(Number.isFinite))
    })

  t.test(
    'no request gets past the fetch of the connection, which holds the rules of addresses',
    async (t) => {
      const { fake } = await start(t)
      const refusal = new AppError('ADDRESS_NOT_ALLOWED', { host: 'here' })
      const connection = connect(fake.url, { fetch: () => Promise.reject(refusal) })
      const isRefused = async (task: () => unknown) => {
        const error = await Promise.resolve(task()).catch((error) => error)
        const causes: unknown[] = []
        for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause)
        t.ok(causes.includes(refusal), `what was thrown tells the refusal: ${error}`)
      }
      await isRefused(async () => errorOf(await kind.languageModel(connection, modelId), hello))
      await isRefused(() => kind.listModels(connection, AbortSignal.timeout(5000)))
      if (embedding_model)
        await isRefused(async () =>
          (await kind.embeddingModel!(connection, embedding_model)).doEmbed({ values: ['OK'] }),
        )
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
    const attempt = async (task: () => unknown) => {
      try {
        await task()
      } catch (error) {
        t.notMatch(String(error), canary)
      }
    }
    await attempt(async () =>
      (await (await kind.languageModel(bare, modelId)).doStream(hello)).stream.cancel(),
    )
    await attempt(() => kind.listModels(bare, AbortSignal.timeout(5000)))
    if (embedding_model)
      await attempt(async () =>
        (await kind.embeddingModel!(bare, embedding_model)).doEmbed({ values: ['OK'] }),
      )
    t.ok(fake.requests.length > 0, 'the base URL of the provider was called')
    const seen = fake.requests.map(({ path, headers, body }) => JSON.stringify([path, headers, body]))
    t.notMatch(seen.join('\n'), new RegExp(`${canary}|${Buffer.from(canary).toString('base64')}`))
  })
}

/** Options without those that name or hold credentials. */
const barely = (options: Record<string, unknown> = {}) =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !/key|secret|token/.test(name)))

/** One call, as a turn makes it. */
async function call(model: LanguageModelV3, options: LanguageModelV3CallOptions) {
  let counted: Extract<LanguageModelV3StreamPart, { type: 'finish' }>['usage'] | undefined
  const ignore = () => {}
  const { stream } = await model.doStream(options)
  const { content, finishReason } = await readAnswer(stream, {
    onText: ignore,
    onReasoning: ignore,
    onToolCall: ignore,
    onUsage: (usage) => {
      counted = usage
    },
  })
  // An empty part says nothing; libraries differ in whether they make one.
  const isEmpty = (part: LanguageModelV3Content) => part.type === 'text' && part.text === ''
  return { content: content.filter((part) => !isEmpty(part)), finishReason, usage: counted! }
}

/** What a call fails with, thrown or told in its stream. */
async function errorOf(
  model: LanguageModelV3,
  options: LanguageModelV3CallOptions,
  onText: (delta: string) => void = () => {},
): Promise<unknown> {
  try {
    const { stream } = await model.doStream(options)
    for await (const part of stream) {
      if (part.type === 'error') return part.error
      if (part.type === 'text-delta') onText(part.delta)
    }
  } catch (error) {
    return error
  }
  throw new Error('the call did not fail')
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
