import assert from 'node:assert/strict'
import { test as nodeTest } from 'node:test'
import type {
  JSONSchema7,
  LanguageModelV3CallOptions,
  LanguageModelV3Content,
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
} from '@ai-sdk/provider'
import { AppError, compileSchema } from '#kernel'
import { explainFailure } from '../../plugins/providers/explained-failure.ts'
import { definePlugin, type ProviderConnection, type ProviderKind } from '../index.ts'
import { type BenchSettings, startBench } from './agent-bench.ts'
import { assertPart } from './assert-part.ts'
import type { FakeVendor, Refusal, VendorReply, VendorRequest } from './fake-vendor.ts'
import {
  callModel,
  connectionTo,
  embedTexts,
  errorOf,
  failureOf,
  goOn,
  listModels,
  readParts,
  said,
  wordsOf,
} from './model-calls.ts'
import { declareTests, type TestFunction } from './test-function.ts'
import { eventually } from './waiting.ts'

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

/** A provider kind with the fake of its vendor. */
export interface ProviderKindSubject extends BenchSettings {
  kind: ProviderKind
  /** Starts a fake that answers only calls with this key. */
  startFake(): Promise<FakeVendor>
  api_key: string
  options?: Record<string, unknown>
  /** The models that the fake lists: one to chat with and, if the kind embeds, one that embeds. */
  model: string
  embedding_model?: string
  /** Reads a request to the vendor back from its wire. */
  readRequest(request: VendorRequest): ReadRequest
  /** Counts of tokens that the wire does not tell. */
  lacks?: readonly ('cached' | 'reasoning_tokens')[]
  /** Environment variables that the client library would read on its own. */
  environment?: readonly string[]
  /** Declares the tests: `test` of `node:test` unless another is given, e.g. `(name, run) => t.test(name, run)` of tap. */
  test?: TestFunction
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

/**
 * Tests a provider kind against a fake of its vendor: its calls, and on a real server that an agent answers with it. The
 * server gets the kind from `plugins`; unless they are given, from a plugin that brings it alone.
 */
export function testProviderKind(subject: ProviderKindSubject): unknown {
  const { kind, api_key, model: modelId, lacks = [], environment = [], test = nodeTest } = subject

  const connect = (url: string, more: Partial<ProviderConnection> = {}) =>
    connectionTo(url, { api_key, options: subject.options ?? {}, ...more })

  return declareTests(test, `provider kind ${kind.kind}`, async (t, add) => {
    const fakes: FakeVendor[] = []
    t.after(() => Promise.all(fakes.map((fake) => fake.close())))

    async function start() {
      const fake = await subject.startFake()
      fakes.push(fake)
      return { fake, model: await kind.languageModel(connect(fake.url), modelId) }
    }

    const call = async (connection: ProviderConnection) =>
      callModel(await kind.languageModel(connection, modelId), hello)

    await add('the options are described by a closed schema', async () => {
      const { properties = {}, additionalProperties } = kind.config_schema as Record<string, object>
      assert.equal(additionalProperties, false)
      for (const [name, property] of Object.entries(properties))
        assert.equal(typeof (property as { description?: unknown }).description, 'string', name)
      compileSchema(kind.config_schema, 'json')(structuredClone(subject.options ?? {}))
      for (const language of ['en', 'zh'] as const) {
        assert.ok(kind.label[language])
        for (const text of Object.values(kind.guidance ?? {})) assert.ok(text[language])
      }
    })

    await add('text streams as it is sent, with what it cost', async () => {
      const { fake, model } = await start()
      fake.queue({ text: ['One', ' two', ' — 三'], usage })
      const { parts, finishReason, usage: counted } = await callModel(model, hello)
      assert.deepEqual(wordsOf(parts), ['One', ' two', ' — 三'])
      assert.equal(finishReason.unified, 'stop')
      assert.equal(counted.inputTokens.total, usage.input)
      assert.equal(counted.outputTokens.total, usage.output)
      if (!lacks.includes('cached')) assert.equal(counted.inputTokens.cacheRead, usage.cached)
      const request = subject.readRequest(fake.requests[0]!)
      assertPart(request, { model: modelId, system: /Be brief\./, max_tokens: 2048 })
      assertPart(request.messages, [{ role: 'user', text: 'a private question' }])
    })

    await add('thoughts stream before the text', async () => {
      const { fake, model } = await start()
      fake.queue({ reasoning: ['Let me', ' think.'], text: ['Done.'], usage })
      const { content, usage: counted } = await callModel(model, hello)
      assertPart(content.filter(isSpoken), [
        { type: 'reasoning', text: 'Let me think.' },
        { type: 'text', text: 'Done.' },
      ])
      if (!lacks.includes('reasoning_tokens')) assert.equal(counted.outputTokens.reasoning, usage.reasoning)
    })

    await add('an answer cut at its limit says so', async () => {
      const { fake, model } = await start()
      fake.queue({ text: ['And then'], finish: 'length' })
      assertPart(await callModel(model, hello), { finishReason: { unified: 'length' } })
    })

    await add(
      'tools are called in parallel and get their results back, with the thoughts of the turn',
      async () => {
        const { fake, model } = await start()
        fake.queue(
          { reasoning: ['Two things.'], text: ['Wait.'], toolCalls, usage },
          { text: ['Both done.'] },
        )
        const first = await callModel(model, { ...hello, tools })
        assert.equal(first.finishReason.unified, 'tool-calls')
        const calls = first.content.filter((part) => part.type === 'tool-call')
        assert.deepEqual(
          calls.map(({ toolName, input }) => [toolName, JSON.parse(input)]),
          toolCalls.map(({ name, input }) => [name, input]),
        )
        assert.notEqual(calls[0]!.toolCallId, calls[1]!.toolCallId)

        const prompt = goOn(
          hello.prompt,
          first.content.filter(isSpoken),
          { type: 'text', value: '42' },
          { type: 'error-text', value: 'no ruler' },
        )
        const { content } = await callModel(model, { ...hello, tools, prompt })
        assertPart(content.filter(isSpoken), [{ type: 'text', text: 'Both done.' }])

        const { messages, tools: sent } = subject.readRequest(fake.requests[1]!)
        assertPart(sent, [
          { name: 'look_up', schema: { properties: { word: {} } } },
          { name: 'measure', schema: { properties: { thing: {} } } },
        ])
        assertPart(messages, [
          { role: 'user' },
          { role: 'assistant', toolCalls: toolCalls.map(({ name, input }) => ({ name, input })) },
          { role: 'tool', output: /42/ },
          { role: 'tool', output: /no ruler/ },
        ])
        assertPart(messages[1], { reasoning: /./ }, 'what went back')
      },
    )

    await add(
      'tool calls of earlier turns are understood, without their thoughts and signatures',
      async () => {
        const { fake, model } = await start()
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
        assertPart(content.filter(isSpoken), [{ type: 'text' }])
        assertPart(subject.readRequest(fake.requests[0]!).messages, [
          { role: 'user', text: 'Look it up.' },
          { role: 'assistant', toolCalls: [{ name, input }] },
          { role: 'tool', output: /42/ },
          { role: 'assistant', text: 'It is 42.' },
          { role: 'user', text: 'Sure?' },
        ])
      },
    )

    await add('pictures are sent along', async () => {
      const { fake, model } = await start()
      const file = { type: 'file' as const, mediaType: 'image/png', data: PIXEL }
      await callModel(model, {
        prompt: [{ role: 'user', content: [{ type: 'text', text: 'What is it?' }, file] }],
      })
      assertPart(subject.readRequest(fake.requests[0]!).messages, [
        { text: /What is it\?/, images: [{ media_type: 'image/png', base64: PIXEL }] },
      ])
    })

    const refusals: Refusal[] = ['auth', 'quota', 'rate_limit', 'outage', 'model_not_found', 'bad_request']
    for (const refusal of refusals)
      await add(`a refusal for ${refusal} is understood before an answer`, async () => {
        const { fake, model } = await start()
        fake.queue({ refusal, ...(refusal === 'rate_limit' && { retryAfter: 7 }) })
        const failure = await failureOf(callModel(model, hello), kind)
        assert.equal(failure.reason, refusal)
        assert.equal(typeof failure.status, 'number')
        if (refusal === 'rate_limit') assert.equal(failure.retry_after_ms, 7000)
      })

    await add('a wrong key and a missing one are refused by the vendor', async () => {
      const { fake } = await start()
      for (const wrong of ['wrong-key-0123456789', undefined])
        assert.equal((await failureOf(call(connect(fake.url, { api_key: wrong })), kind)).reason, 'auth')
    })

    await add('an answer that breaks in the middle fails after what came before', async () => {
      const { fake, model } = await start()
      for (const refusal of [undefined, 'outage'] as const) {
        fake.queue({ text: ['Half', ' an', ' answer'], breakAfter: 2, refusal })
        const { parts, error } = await readParts(model, hello)
        assert.equal(wordsOf(parts).join(''), 'Half an')
        const { reason } = explainFailure(error, kind)
        assert.ok(['outage', 'unreachable'].includes(reason), `${refusal ?? 'cut'}: ${reason}`)
      }
    })

    await add('an abort ends the call before its answer and within it', async () => {
      const { fake, model } = await start()
      for (const [n, reply] of ([{ hold: new Promise(() => {}) }, {}] as VendorReply[]).entries()) {
        const abort = new AbortController()
        // The reader's own abort keeps everything after the first word from arriving.
        fake.queue({ text: Array.from({ length: 2000 }, () => ' word'.repeat(50)), ...reply })
        const reading = readParts(model, { ...hello, abortSignal: abort.signal }, ({ type }) => {
          if (type === 'text-delta') abort.abort()
        })
        const { gone } = await eventually('the vendor is called', () => fake.requests[n])
        if (reply.hold) abort.abort()
        assert.ok((await reading).error)
        await eventually('the vendor sees the client leave', () => gone.aborted)
      }
    })

    await add('an address without a listener is unreachable', async () => {
      const { fake, model } = await start()
      await fake.close()
      assert.equal((await failureOf(callModel(model, hello), kind)).reason, 'unreachable')
    })

    await add('the models are listed', async () => {
      const { fake } = await start()
      const models = await listModels(kind, connect(fake.url))
      const ids = models.map(({ id }) => id)
      assert.ok(ids.includes(modelId), ids.join())
      if (subject.embedding_model) assert.ok(ids.includes(subject.embedding_model), ids.join())
      assert.ok(models.every(({ name }) => name))
    })

    const { embedding_model } = subject
    if (embedding_model)
      await add('texts are embedded', async () => {
        const { fake } = await start()
        const { embeddings } = await embedTexts(kind, connect(fake.url), embedding_model)
        assert.ok(embeddings[0]!.length > 1 && embeddings[0]!.every(Number.isFinite))
      })

    await add(
      'no request gets past the fetch of the connection, which holds the rules of addresses',
      async () => {
        const { fake } = await start()
        const refusal = new AppError('ADDRESS_NOT_ALLOWED', { host: 'here' })
        const connection = connect(fake.url, { fetch: () => Promise.reject(refusal) })
        const isRefused = async (attempt: Promise<unknown>) => {
          const error = await errorOf(attempt)
          const causes: unknown[] = []
          for (let cause = error; cause instanceof Error; cause = cause.cause) causes.push(cause)
          assert.ok(causes.includes(refusal), `what was thrown tells the refusal: ${error}`)
        }
        await isRefused(call(connection))
        await isRefused(listModels(kind, connection))
        if (embedding_model) await isRefused(embedTexts(kind, connection, embedding_model))
        assert.equal(fake.requests.length, 0)
      },
    )

    await add('nothing of the environment is sent to the vendor', async () => {
      const { fake } = await start()
      const canary = 'AKIACANARY0123456789'
      const restore = setVariables(environment, (name) =>
        /URL|HOST|ENDPOINT/.test(name) ? `http://127.0.0.1:9/${canary}` : canary,
      )
      try {
        const bare = connect(fake.url, { api_key: undefined, options: barely(subject.options) })
        const attempt = (task: Promise<unknown>) =>
          task.catch((error) => assert.ok(!String(error).includes(canary), `the canary is in: ${error}`))
        await attempt(call(bare))
        await attempt(listModels(kind, bare))
        if (embedding_model) await attempt(embedTexts(kind, bare, embedding_model))
      } finally {
        restore()
      }
      assert.ok(fake.requests.length > 0, 'the base URL of the provider was called')
      const seen = fake.requests.map(({ path, headers, body }) => JSON.stringify([path, headers, body]))
      assert.doesNotMatch(seen.join('\n'), new RegExp(`${canary}|${Buffer.from(canary).toString('base64')}`))
    })

    const { plugins = [pluginOf(kind)], config, databaseUrl } = subject
    if (plugins.length === 0) return
    await add('an agent of a server answers with it', async () => {
      const { fake } = await start()
      const server = await startBench({ plugins, config, databaseUrl })
      try {
        const { options = {} } = subject
        const models = [{ id: modelId, name: modelId }]
        const provider = { name: 'subject', kind: kind.kind, base_url: fake.url, api_key, options, models }
        const made = await server.request('POST', '/admin/providers', provider)
        assert.equal(made.status, 201, JSON.stringify(made.body))
        const chosen = await server.request('PUT', '/models/active', { model: `subject:${modelId}` })
        assert.equal(chosen.status, 200, JSON.stringify(chosen.body))
        fake.queue({ text: ['Good', ' day'], usage })
        const socket = await server.connect('/agents/assistant/chat/ws')
        socket.send({ type: 'user_turn', text: 'a private question' })
        let end = await socket.next()
        while (end.type !== 'done' && end.type !== 'error') end = await socket.next()
        assert.equal(end.type, 'done', JSON.stringify(end))
        const said = socket.frames.map(({ type, content }) => (type === 'content' ? content : '')).join('')
        assert.equal(said, 'Good day')
        assert.match(server.logged(), /listening/)
        assert.ok(!server.logged().includes(api_key), 'the key is not in the log')
      } finally {
        await server.close()
      }
    })
  })
}

/** Returns a plugin that brings a kind and nothing else. */
const pluginOf = (kind: ProviderKind) =>
  definePlugin({
    name: `${kind.kind}-kind`,
    summary: `The provider kind ${kind.kind}`,
    kernel: 1,
    depends: ['providers'],
    setup: (host) => host.extend('providers.kinds', kind),
  })

/** Sets environment variables; returns a function that sets them as they were. */
function setVariables(names: readonly string[], choose: (name: string) => string): () => void {
  const kept = names.map((name) => [name, process.env[name]] as const)
  for (const name of names) process.env[name] = choose(name)
  return () => {
    for (const [name, value] of kept) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}

/** Options without those that name or hold credentials. */
const barely = (options: Record<string, unknown> = {}) =>
  Object.fromEntries(Object.entries(options).filter(([name]) => !/key|secret|token/.test(name)))

/** An empty part says nothing; libraries differ in whether they make one. */
const isSpoken = (part: LanguageModelV3Content) => part.type !== 'text' || part.text !== ''
