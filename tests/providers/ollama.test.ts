import { execFile } from 'node:child_process'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { APICallError } from '@ai-sdk/provider'
import type { ProviderConnection } from '#plugin-api'
import { startFakeVendor, type VendorRequest } from '../../plugin-api/testing/fake-vendor.ts'
import type { ReadRequest } from '../../plugin-api/testing/provider-bench.ts'
import { testProviderKind } from '../../plugin-api/testing/provider-kind-suite.ts'
import { explainFailure } from '../../plugins/models/providers/explained-failure.ts'
import kind from '../../providers/ollama/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { createFakeOllama, type FakeOllamaOptions } from '../support/fake-ollama.ts'
import { builtIn } from '../support/kit.ts'
import {
  callModel,
  connectionTo,
  embedTexts,
  errorOf,
  hello,
  leaving,
  listModels,
  readParts,
  startAnswering,
  startFake,
  toolNamed,
  wordsOf,
} from '../support/model-calls.ts'

const KEY = 'ollama-test-0123456789abcdef'
const MODEL = 'qwen3-vl:8b'

testProviderKind({
  ...builtIn(t),
  kind,
  startFake: () => createFakeOllama({ key: KEY }),
  api_key: KEY,
  model: MODEL,
  embedding_model: 'nomic-embed-text:latest',
  readRequest,
  lacks: ['cached', 'reasoning_tokens'],
  environment: ['OLLAMA_HOST', 'OLLAMA_API_KEY'],
})

interface WireMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  thinking?: string
  images?: string[]
  tool_name?: string
  tool_calls?: { function: { name: string; arguments: unknown } }[]
}

function readRequest({ body }: VendorRequest): ReadRequest {
  const messages = body.messages as WireMessage[]
  return {
    model: body.model,
    system: messages.flatMap(({ role, content }) => (role === 'system' ? content : [])).join('\n'),
    messages: messages.filter(({ role }) => role !== 'system').map(readMessage),
    tools: (body.tools ?? []).map(
      ({ function: tool }: { function: { name: string; parameters: object } }) => ({
        name: tool.name,
        schema: tool.parameters,
      }),
    ),
    max_tokens: body.options.num_predict,
  }
}

function readMessage({
  role,
  content,
  thinking = '',
  images = [],
  tool_name: name,
  tool_calls = [],
}: WireMessage): ReadRequest['messages'][number] {
  if (role === 'tool') return { role, name, output: content }
  if (role === 'assistant') {
    const toolCalls = tool_calls.map(({ function: call }) => ({ name: call.name, input: call.arguments }))
    return { role, text: content, reasoning: thinking, toolCalls }
  }
  // The wire leaves it to the server to see what sort of image it is.
  return {
    role: 'user',
    text: content,
    images: images.map((base64) => ({ media_type: 'image/png', base64 })),
  }
}

const tools = [toolNamed('ls')]

const start = (t: Test, options?: FakeOllamaOptions) => startFake(t, createFakeOllama(options))

/** Starts a server that answers every request with these lines. */
const answer = (t: Test, text: string, setting: { type?: string; size?: number } = {}) =>
  startAnswering(t, text, { type: 'application/x-ndjson', ...setting })

const open = (url: string, options: ProviderConnection['options'] = {}, modelId = MODEL) =>
  kind.languageModel(connectionTo(url, { options }), modelId)

const line = (message: object, more = {}) =>
  `${JSON.stringify({ model: MODEL, created_at: '2026-05-10T08:06:48Z', message, done: false, ...more })}\n`
const end = line({ role: 'assistant', content: '' }, { done: true, done_reason: 'stop', eval_count: 1 })

t.test(
  'each option reaches the wire in Ollama’s terms, and without them only a sensible window, of which nothing is cut away',
  async (t) => {
    const fake = await start(t)
    const model = await open(fake.url, { context_length: 32_768, keep_alive: '30m', think: 'high' })
    const settings = { maxOutputTokens: 9, temperature: 0.5, topK: 3, seed: 7, stopSequences: ['.'] }
    await callModel(model, { ...hello, ...settings })
    t.match(fake.requests[0]!.body, {
      stream: true,
      think: 'high',
      keep_alive: '30m',
      options: { num_ctx: 32_768, num_predict: 9, temperature: 0.5, top_k: 3, seed: 7, stop: ['.'] },
    })
    await callModel(await open(fake.url))
    t.strictSame(fake.requests[1]!.body, {
      model: MODEL,
      messages: [{ role: 'user', content: 'a private question' }],
      stream: true,
      truncate: false,
      options: { num_ctx: 32_768 },
    })
    for (const [keep_alive, sent] of [
      ['-1', -1],
      ['0', 0],
      ['1h30m', '1h30m'],
    ]) {
      await callModel(await open(fake.url, { keep_alive }))
      t.equal(fake.requests.at(-1)!.body.keep_alive, sent)
    }
  },
)

t.test('thinking can be switched off', async (t) => {
  const fake = await start(t)
  fake.queue({ reasoning: ['Hm.'], text: ['Yes.'] })
  const { parts } = await callModel(await open(fake.url, { think: false }))
  t.equal(fake.requests[0]!.body.think, false)
  t.notOk(parts.some(({ type }) => type === 'reasoning-delta'))
})

t.test('a base URL of the API or of the one like OpenAI’s is understood', async (t) => {
  const fake = await start(t)
  for (const ending of ['', '/', '/api', '/v1', '/v1/', '/api//']) {
    t.equal((await callModel(await open(fake.url + ending))).finishReason.unified, 'stop', ending)
    t.equal(fake.requests.at(-1)!.path, '/api/chat')
  }
})

t.test('the model of a server behind a path is reached there', async (t) => {
  const fake = await answer(t, end)
  await callModel(await open(`${fake.url}/behind/a/proxy/v1`))
  t.equal(fake.requests[0]!.path, '/behind/a/proxy/api/chat')
})

t.test('calls of older servers, which have no ids, get one each', async (t) => {
  const fake = await start(t, { hasCallIds: false })
  const call = { id: 'unused', name: 'ls', input: {} }
  fake.queue({ toolCalls: [call, call] })
  const { content } = await callModel(await open(fake.url), { ...hello, tools })
  const ids = content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
  t.equal(new Set(ids).size, 2)
  t.ok(ids.every((id) => /^call_./.test(id)))
})

t.test('a result goes back with the name and the id of its call', async (t) => {
  const fake = await start(t)
  const called = { toolCallId: 'call_1', toolName: 'ls' }
  await callModel(await open(fake.url), {
    prompt: [
      ...hello.prompt,
      { role: 'assistant', content: [{ type: 'tool-call', ...called, input: 'not an object' }] },
      { role: 'tool', content: [{ type: 'tool-result', ...called, output: { type: 'json', value: ['a'] } }] },
    ],
  })
  t.match(fake.requests[0]!.body.messages.slice(1), [
    { tool_calls: [{ id: 'call_1', function: { name: 'ls', arguments: { input: 'not an object' } } }] },
    { role: 'tool', tool_name: 'ls', tool_call_id: 'call_1', content: '["a"]' },
  ])
})

t.test('a picture whose data reads like a path is sent as it is, and no file is read', async (t) => {
  const fake = await start(t)
  const model = await open(fake.url)
  const data = '/proc/uptime'
  const file = { type: 'file' as const, mediaType: 'image/png', data }
  const bytes = { ...file, data: new Uint8Array(Buffer.from(data, 'base64')) }
  const text = { ...file, mediaType: 'text/plain', data: new TextEncoder().encode('Größe') }
  await callModel(model, { prompt: [{ role: 'user', content: [file, bytes, text] }] })
  t.strictSame(fake.requests[0]!.body.messages, [{ role: 'user', content: 'Größe', images: [data, data] }])
  const other = { ...file, mediaType: 'video/mp4' }
  const failed = await errorOf(callModel(model, { prompt: [{ role: 'user', content: [other] }] }))
  t.match(failed, { message: /video\/mp4/ })
})

t.test('tools are omitted if none may be called, and unsupported settings are reported', async (t) => {
  const fake = await start(t)
  const model = await open(fake.url)
  await callModel(model, { ...hello, tools, toolChoice: { type: 'none' } })
  t.notOk('tools' in fake.requests[0]!.body)
  const { parts } = await callModel(model, { ...hello, tools, toolChoice: { type: 'required' } })
  t.match(parts[0], { type: 'stream-start', warnings: [{ type: 'unsupported', feature: /required/ }] })
})

t.test('JSON is asked for with its schema', async (t) => {
  const fake = await start(t)
  const schema = { type: 'object' as const, properties: {} }
  const model = await open(fake.url)
  await callModel(model, { ...hello, responseFormat: { type: 'json', schema } })
  await callModel(model, { ...hello, responseFormat: { type: 'json' } })
  t.strictSame(fake.requests[0]!.body.format, schema)
  t.equal(fake.requests[1]!.body.format, 'json')
})

t.test('an answer is complete, with its calls and what it cost', async (t) => {
  const fake = await start(t)
  fake.queue({
    reasoning: ['H', 'm.'],
    text: ['Y', 'es.'],
    toolCalls: [{ id: 'c', name: 'ls', input: { a: 1 } }],
  })
  t.match(await callModel(await open(fake.url), { ...hello, tools }), {
    content: [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes.' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'ls', input: '{"a":1}' },
    ],
    finishReason: { unified: 'tool-calls', raw: 'stop' },
    usage: { inputTokens: { total: 5 }, outputTokens: { total: 3 } },
  })
})

t.test('an answer is the same in whatever pieces it comes', async (t) => {
  const lines = [
    line({ role: 'assistant', content: '', thinking: 'Größe' }),
    line({ role: 'assistant', content: '你好 🙂' }),
    '\n',
    line({ role: 'assistant', content: ' so.' }).replace('\n', '\r\n'),
    end.trimEnd(),
  ]
  for (const size of [1, 3, 50, 1000]) {
    const fake = await answer(t, lines.join(''), { size })
    const { parts } = await callModel(await open(fake.url))
    const said = parts.flatMap((part) => ('delta' in part ? [part.delta] : []))
    t.strictSame(said, ['Größe', '你好 🙂', ' so.'], `by ${size}`)
    t.match(parts.at(-1), { type: 'finish', finishReason: { unified: 'stop' } })
  }
})

t.test('an error within an answer is reported after the parts before it, and never ignored', async (t) => {
  const half = line({ role: 'assistant', content: 'Half' })
  const cases = [
    [`${half}{"error":"llama runner process has terminated"}\n${end}`, /^llama runner/, 'outage'],
    [`${half}{"error":"model 'x' not found"}`, /^model 'x' not\sfound/, 'model_not_found'],
    [`${half}{"error":{"code":1}}\n`, /"code":1/, 'outage'],
    [`${half}{"message\n${end}`, /not a JSON object/, 'outage'],
    [`${half}17\n${end}`, /not a JSON object/, 'outage'],
    [`${half}${end.slice(0, -20)}`, /not a JSON object/, 'outage'],
    [half, /ended\sbefore it was finished/, 'outage'],
  ] as const
  for (const [text, message, reason] of cases) {
    const fake = await answer(t, text)
    // The error must not discard the parts that the stream has read before it.
    const { parts, error: failure } = await readParts(await open(fake.url), hello, () => setImmediate())
    t.strictSame(wordsOf(parts), ['Half'])
    t.ok(APICallError.isInstance(failure))
    t.match(failure, { message })
    t.strictSame(explainFailure(failure, kind), { reason })
  }
})

t.test(
  'an answer that makes no sense is given up at the server, one line without an end as well',
  async (t) => {
    for (const text of ['x'.repeat(1024 * 1024), 'no JSON\n']) {
      const endless = startFakeVendor({
        async serve({ open, write }) {
          open('application/x-ndjson')
          for (;;) await write(text)
        },
      })
      const fake = await startFake(t, endless)
      t.match(await errorOf(callModel(await open(fake.url))), { message: /not a JSON object/ })
      await leaving(fake.requests[0]!.gone)
    }
  },
)

t.test('a reader who leaves ends the call at the server, also while nothing is said', async (t) => {
  const fake = await start(t)
  fake.queue({ text: ['never said'], hold: new Promise(() => {}) })
  const responses: Response[] = []
  const keeping: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    // One that nobody holds is ended by the garbage collector.
    responses.push(response)
    return response
  }
  const model = await kind.languageModel(connectionTo(fake.url, { fetch: keeping }), MODEL)
  const { stream } = await model.doStream(hello)
  const { gone } = await fake.request(0)
  await stream.cancel()
  await leaving(gone)
  t.equal(responses.length, 1)
})

t.test('an aborted call is not begun, and its error is what it was aborted with', async (t) => {
  const fake = await start(t)
  const reason = new Error('enough')
  const options = { ...hello, abortSignal: AbortSignal.abort(reason) }
  t.equal(await errorOf(callModel(await open(fake.url), options)), reason)
  t.equal(fake.requests.length, 0)
  const model = await kind.embeddingModel!(connectionTo(fake.url), 'nomic-embed-text')
  t.equal(await errorOf(model.doEmbed({ values: ['a'], abortSignal: options.abortSignal })), reason)
  t.equal(await errorOf(listModels(kind, connectionTo(fake.url), options.abortSignal)), reason)
})

t.test('refusals keep the words and the status of the server, for every kind of call', async (t) => {
  const fake = await start(t)
  const call = async (modelId: string, options = {}, more = {}) =>
    callModel(await open(fake.url, options, modelId), { ...hello, ...more })
  const embed = () => embedTexts(kind, connectionTo(fake.url), 'missing')
  const cases = [
    [() => call('missing'), 404, /^model 'missing' not\sfound/, 'model_not_found'],
    [embed, 404, /try pulling it first/, 'model_not_found'],
    [() => call('gemma3:4b', {}, { tools }), 400, /does not support tools/, 'bad_request'],
    [() => call('gemma3:4b', { think: true }), 400, /not support thinking/, 'bad_request'],
    [() => call('nomic-embed-text:latest'), 400, /does not support chat/, 'bad_request'],
  ] as const
  for (const [attempt, statusCode, message, reason] of cases) {
    const failure = await errorOf(attempt())
    t.match(failure, { statusCode, message })
    t.equal(explainFailure(failure, kind).reason, reason)
    t.notMatch(JSON.stringify(failure), /private/, 'nothing of the conversation is in the error')
  }
  t.match(kind.guidance!.model_not_found!.en, /ollama pull/)
})

t.test('a lack of memory is reported as a failure that a retry does not resolve', async (t) => {
  const message = 'model requires more system memory (5.6 GiB) than is available (3.4 GiB)'
  const fake = await startFake(
    t,
    startFakeVendor({ serve: ({ sendJson }) => sendJson(500, { error: message }) }),
  )
  const failure = await errorOf(callModel(await open(fake.url)))
  t.match(failure, { message, statusCode: 500 })
  t.match(explainFailure(failure, kind), { reason: 'bad_request' })
})

t.test('the cause is kept if nobody listens', async (t) => {
  const fake = await createFakeOllama()
  await fake.close()
  const failure = await errorOf(callModel(await open(fake.url)))
  t.match(failure, { message: /cannot be reached at http/, cause: { cause: { code: 'ECONNREFUSED' } } })
  t.match(kind.guidance!.unreachable!.en, /ollama serve/)
})

t.test('a web page is no Ollama', async (t) => {
  const fake = await answer(t, '<!doctype html>', { type: 'text/html' })
  const model = await open(fake.url)
  for (const call of [() => callModel(model), () => listModels(kind, connectionTo(fake.url))])
    t.match(await errorOf(call()), { statusCode: 200, message: /is not Ollama/ })
})

t.test(
  'models are listed with what they can do, those that can neither chat nor embed left out',
  async (t) => {
    const fake = await start(t)
    const list = (more?: Partial<ProviderConnection>) => listModels(kind, connectionTo(fake.url, more))
    const chat = { embedding: false, input: ['text', 'image'] }
    const expected = [
      { id: MODEL, name: MODEL, ...chat, context_window: 32_768, tools: true, reasoning: true },
      { id: 'gemma3:4b', name: 'gemma3:4b', ...chat, context_window: 32_768, tools: false, reasoning: false },
      {
        id: 'nomic-embed-text:latest',
        name: 'nomic-embed-text:latest',
        embedding: true,
        context_window: 2048,
      },
    ]
    t.same(await list(), expected)
    t.equal(fake.requests.length, 5)
    const narrow = await list({ options: { context_length: 4096 } })
    t.same(
      narrow.map(({ context_window }) => context_window),
      [4096, 4096, 2048],
    )
  },
)

t.test('a list of an older server, or with a damaged model, has what is known', async (t) => {
  const old = await start(t, { hasCapabilities: false })
  const [first] = await listModels(kind, connectionTo(old.url))
  t.same(first, { id: MODEL, name: MODEL, context_window: 32_768 })
  const fake = await start(t, { damaged: MODEL })
  const models = await listModels(kind, connectionTo(fake.url))
  t.same(models[0], { id: MODEL, name: MODEL, context_window: 32_768 })
  t.equal(models.length, 3)
})

t.test('texts are embedded together, and their tokens counted', async (t) => {
  const fake = await start(t)
  const connection = connectionTo(fake.url, { options: { keep_alive: '1h' } })
  const texts = ['a', 'b', 'a']
  const { embeddings, usage } = await embedTexts(kind, connection, 'nomic-embed-text', texts)
  t.strictSame(embeddings[0], embeddings[2])
  t.notSame(embeddings[0], embeddings[1])
  t.strictSame(usage, { tokens: 6 })
  t.match(fake.requests[0]!.body, { input: texts, keep_alive: '1h' })
})

t.test('ollama.com gets the key of the provider, and never one of the environment', async (t) => {
  const fake = await start(t)
  const kept = process.env.OLLAMA_API_KEY
  process.env.OLLAMA_API_KEY = 'canary'
  t.teardown(() => {
    if (kept === undefined) delete process.env.OLLAMA_API_KEY
    else process.env.OLLAMA_API_KEY = kept
  })
  const called: string[] = []
  const sent: { num_ctx?: number }[] = []
  const redirected: typeof fetch = (input, init) => {
    called.push(String(input))
    return fetch(String(input).replace('https://ollama.com:443', fake.url), init)
  }
  for (const api_key of [undefined, KEY]) {
    const connection = connectionTo('https://ollama.com', { api_key, fetch: redirected })
    await callModel(await kind.languageModel(connection, MODEL))
    await listModels(kind, connection)
    await embedTexts(kind, connection, 'nomic-embed-text')
    const expected = api_key && `Bearer ${api_key}`
    sent.push(...fake.requests.flatMap(({ body }) => body?.options ?? []))
    t.ok(fake.requests.splice(0).every(({ headers }) => headers.authorization === expected))
  }
  t.equal(called.length, 14, 'every call went through the fetch of the connection')
  t.ok(
    sent.every(({ num_ctx }) => num_ctx === undefined),
    'ollama.com chooses the window itself',
  )
})

t.test('the client changes nothing that is global', async (t) => {
  const script = `
    const read = () => new Map(Object.getOwnPropertyNames(globalThis).map((name) => [name, globalThis[name]]))
    read()
    const before = read()
    await import('ollama/browser')
    const after = read()
    const changed = [...after].filter(([name, value]) => !before.has(name) || !Object.is(before.get(name), value))
    process.stdout.write(JSON.stringify([before.size > 50, after.size - before.size, changed]))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  t.equal(stdout, '[true,0,[]]')
})
