import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, type LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { ProviderConnection, StreamingModel } from '#plugin-api'
import { createFakeCompatible } from '../../plugin-api/testing/fake-compatible.ts'
import {
  createFakeOpenAI,
  type FakeOpenAIOptions,
  type Script,
} from '../../plugin-api/testing/fake-openai.ts'
import { testProviderKind } from '../../plugin-api/testing/provider-kind-suite.ts'
import { explainFailure } from '../../plugins/models/providers/explained-failure.ts'
import kind from '../../providers/openai-compatible/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { readChatRequest } from '../support/fake-openai-requests.ts'
import { builtIn } from '../support/kit.ts'
import {
  callModel,
  connectionTo,
  embedTexts,
  errorOf,
  failureOf,
  goOn,
  hello,
  listModels,
  readParts,
  said,
  startFake,
  wordsOf,
} from '../support/model-calls.ts'

const KEY = 'sk-test-0123456789abcdef'

testProviderKind({
  ...builtIn(t),
  kind,
  startFake: () =>
    createFakeCompatible({
      apiKey: KEY,
      models: ['fake-model', 'text-embedding-fake', 'flux', 'kokoro-tts', 'whisper-large-v3', 'bge-reranker'],
    }),
  api_key: KEY,
  model: 'fake-model',
  embedding_model: 'text-embedding-fake',
  image_model: 'flux',
  speech_model: 'kokoro-tts',
  transcription_model: 'whisper-large-v3',
  reranking_model: 'bge-reranker',
  readRequest: readChatRequest,
  environment: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_COMPATIBLE_API_KEY'],
})

const connect = (base_url: string, more: Partial<ProviderConnection> = {}) =>
  connectionTo(base_url, { api_key: KEY, ...more })

async function start(t: Test, options?: FakeOpenAIOptions) {
  const fake = await startFake(t, createFakeOpenAI(options))
  return {
    fake,
    model: await kind.languageModel(connect(fake.url), 'fake-model'),
    oracle: createOracle(fake.url),
  }
}

const createOracle = (baseURL: string, fetcher: typeof fetch = fetch) =>
  createOpenAICompatible({ name: 'x', baseURL, apiKey: KEY, includeUsage: true, fetch: fetcher }).chatModel(
    'fake-model',
  )

/** Returns the content of an answer, without the ids and block boundaries that the library chooses. */
async function contentOf(model: StreamingModel, options = hello) {
  const { parts, finishReason, usage } = await callModel(model, options)
  const content: unknown[] = []
  let run: { type: string; text: string } | undefined
  for (const part of parts) {
    if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
      if (run?.type !== part.type) {
        run = { type: part.type, text: '' }
        content.push(run)
      }
      run.text += part.delta
    }
    if (part.type === 'tool-call') content.push([part.toolCallId, part.toolName, part.input])
  }
  return [...content, finishReason, usage]
}

const explain = (error: unknown) => explainFailure(error, kind)

const usage = {
  prompt_tokens: 20,
  completion_tokens: 12,
  prompt_tokens_details: { cached_tokens: 16 },
  completion_tokens_details: { reasoning_tokens: 5 },
}

t.test('a stream of each sort has the same content here as in the reference implementation', async (t) => {
  const { fake, model, oracle } = await start(t)
  const scripts: Record<string, Script> = {
    text: { text: 'Grüße an alle 你好 🙂', usage },
    'thoughts, then text': { reasoning: ['Let me', ' see.'], text: ['It is', ' so.'], usage },
    'parallel tool calls': {
      toolCalls: [
        { id: 'call_a', name: 'ls', arguments: { path: 'some/long/folder' } },
        { id: 'call_b', name: 'read_file', arguments: { path: 'notes.txt', limit: 3 } },
        { id: 'call_c', name: 'now', arguments: '' },
      ],
      usage,
    },
    'text before a tool call': {
      text: ['I look.'],
      toolCalls: [{ id: 'x', name: 'ls', arguments: {} }],
      usage,
    },
    'a reply that reached its limit': { text: 'cut', finishReason: 'length', usage },
    'a reply that was filtered': { text: [], finishReason: 'content_filter', usage },
    'an unknown finish reason': { text: 'odd', finishReason: 'eos_token', usage },
  }
  for (const [name, script] of Object.entries(scripts)) {
    fake.next(script, script)
    t.strictSame(await contentOf(model), await contentOf(oracle), name)
  }
})

const recorded = {
  'a gateway with comments and a usage chunk after the finish': [
    ': OPENROUTER PROCESSING\n\n',
    'data: {"id":"gen-1","model":"m","created":1,"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Hm"},"finish_reason":null}]}\n\n',
    'data: {"id":"gen-1","model":"m","created":1,"choices":[{"index":0,"delta":{"content":"Hällo"},"finish_reason":null}]}\n\n',
    'data: {"id":"gen-1","model":"m","created":1,"choices":[{"index":0,"delta":{"content":""},"finish_reason":"stop"}]}\n\n',
    'data: {"id":"gen-1","model":"m","created":1,"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}\n\n',
    'data: [DONE]\n\n',
  ],
  'tool calls without an index, each whole': [
    'data: {"choices":[{"delta":{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{\\"path\\":\\"x\\"}"}}]}}]}\n\n',
    'data: {"choices":[{"delta":{"tool_calls":[{"id":"b","type":"function","function":{"name":"ls","arguments":"{}"}}]}}]}\n\n',
    'data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n',
    'data: [DONE]\n\n',
  ],
  'a stream in CRLF that ends without [DONE]': [
    'data: {"choices":[{"delta":{"reasoning_content":"think"}}]}\r\n\r\n',
    'data: {"choices":[{"delta":{"content":"a"}}]}\r\n\r\ndata: {"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}\r\n\r\n',
  ],
}

t.test(
  'recorded streams of other upstreams, cut at any byte, have the same content as in the reference',
  async (t) => {
    for (const [name, lines] of Object.entries(recorded)) {
      const text = lines.join('')
      const expected = await contentOf(createOracle('http://upstream.test/v1', answering(text)))
      for (const size of [1, 7, 64, text.length])
        t.strictSame(await contentOf(await openAnswering(text, size)), expected, `${name}, by ${size}`)
    }
  },
)

/** A fetch that answers every request with this text, so many bytes at a time. */
const answering =
  (text: string, size = Number.MAX_SAFE_INTEGER): typeof fetch =>
  async () => {
    const bytes = new TextEncoder().encode(text)
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }

/** A model whose every call is answered so. */
const openAnswering = (text: string, size?: number) =>
  kind.languageModel(connect('http://upstream.test/v1', { fetch: answering(text, size) }), 'm')

t.test('a request has the same body here as in the reference implementation', async (t) => {
  const { fake, model, oracle } = await start(t)
  const options: LanguageModelV3CallOptions = {
    prompt: [
      { role: 'system', content: 'Be brief.' },
      said('What is this?'),
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'ls', input: { path: '.' } },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'now', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c1', toolName: 'ls', output: { type: 'text', value: 'a.txt' } },
          {
            type: 'tool-result',
            toolCallId: 'c2',
            toolName: 'now',
            output: { type: 'json', value: { h: 7 } },
          },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'A file.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And these?' },
          { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) },
          { type: 'file', mediaType: 'image/*', data: 'AQID' },
          { type: 'file', mediaType: 'image/jpeg', data: new URL('https://example.org/cat.jpg') },
          { type: 'file', mediaType: 'text/plain', data: new TextEncoder().encode('plain') },
          { type: 'file', mediaType: 'application/pdf', data: 'JVBERg==', filename: 'a.pdf' },
          { type: 'file', mediaType: 'audio/mpeg', data: 'AAAA' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'I must look.' },
          { type: 'tool-call', toolCallId: 'c3', toolName: 'ls', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'c3',
            toolName: 'ls',
            output: { type: 'error-text', value: 'no' },
          },
        ],
      },
    ],
    tools: [
      {
        type: 'function',
        name: 'ls',
        description: 'Lists files',
        inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
      },
    ],
    toolChoice: { type: 'tool', toolName: 'ls' },
    maxOutputTokens: 77,
    temperature: 0.2,
    topP: 0.9,
    presencePenalty: 0.1,
    frequencyPenalty: 0.3,
    seed: 4,
    stopSequences: ['END'],
    responseFormat: { type: 'json' },
  }
  await callModel(model, options)
  await callModel(oracle, options)
  const [ours, theirs] = fake.requests
  t.strictSame(ours!.body, theirs!.body)
  t.equal(ours!.headers.authorization, `Bearer ${KEY}`)
})

t.test('thoughts of earlier turns are not sent back', async (t) => {
  const { fake, model } = await start(t)
  await callModel(model, {
    prompt: [
      said('one'),
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'old thought' },
          { type: 'text', text: 'two' },
        ],
      },
      said('three'),
    ],
  })
  t.strictSame(fake.requests[0]!.body.messages[1], { role: 'assistant', content: 'two' })
})

t.test('what an upstream attaches to a tool call comes back to it with the call', async (t) => {
  const call = {
    id: 'a',
    function: { name: 'ls', arguments: '{}' },
    extra_content: { google: { thought_signature: 's' } },
  }
  const chunk = { choices: [{ delta: { tool_calls: [call] }, finish_reason: 'tool_calls' }] }
  const signing = await openAnswering(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
  const { content } = await callModel(signing)

  const { fake, model } = await start(t)
  await callModel(model, { prompt: goOn(hello.prompt, content) })
  t.match(fake.requests[0]!.body.messages[1]!.tool_calls, [{ extra_content: call.extra_content }])
})

t.test('headers from the options and from the call are sent', async (t) => {
  const { fake } = await start(t)
  const connection = connect(`${fake.url}/`, {
    api_key: undefined,
    options: { headers: { 'x-title': 'Ours' } },
  })
  await callModel(await kind.languageModel(connection, 'm'), {
    ...hello,
    headers: { 'x-call': '1', 'x-none': undefined },
  })
  t.match(fake.requests[0]!.headers, { 'x-title': 'Ours', 'x-call': '1', authorization: undefined })
})

t.test('the deltas of a stream come out while it is still open', async (t) => {
  const { fake, model } = await start(t)
  let release = () => {}
  const hold = new Promise<void>((resolve) => {
    release = resolve
  })
  fake.next({ text: ['one', ' two', ' three'], hold, holdAfter: 2 })
  let early = ''
  let text = ''
  const { parts } = await readParts(model, hello, (part) => {
    if (part.type !== 'text-delta') return
    text += part.delta
    if (text !== 'one two') return
    early = text
    release()
  })
  t.equal(early, 'one two')
  t.equal(text, 'one two three')
  t.match(parts.slice(-3), [
    { type: 'text-delta', delta: ' three' },
    { type: 'text-end' },
    { type: 'finish' },
  ])
})

t.test('an answer is complete, with what it cost, whose it is and what the wire lacks', async (t) => {
  const { fake, model } = await start(t)
  fake.next({
    reasoning: ['Hm'],
    text: 'Yes',
    toolCalls: [{ id: 'a', name: 'ls', arguments: { path: 'x' } }],
    usage,
  })
  const { parts, ...answer } = await callModel(model, { ...hello, topK: 3 })
  t.match(answer, {
    content: [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Yes' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'ls', input: '{"path":"x"}' },
    ],
    finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
    usage: {
      inputTokens: { total: 20, noCache: 4, cacheRead: 16 },
      outputTokens: { total: 12, text: 7, reasoning: 5 },
    },
  })
  t.match(parts.slice(0, 2), [
    { type: 'stream-start', warnings: [{ type: 'unsupported', feature: 'topK' }] },
    { type: 'response-metadata', id: /^chatcmpl-/, modelId: 'fake-model', timestamp: Date },
  ])
})

t.test('a stream that breaks after its first delta throws what broke it', async (t) => {
  const { fake, model } = await start(t)
  fake.next({ text: 'one two three', disconnectAfter: 2 })
  const { parts, error } = await readParts(model)
  t.match(error, APICallError)
  t.equal(wordsOf(parts).join(''), 'one two', 'and what came before is not lost')
  t.notOk(parts.some((part) => part.type === 'finish'))
})

t.test('a stream with a broken event, or without a finish reason, is an error', async (t) => {
  const { fake, model } = await start(t)
  fake.next({ text: 'one two', malformed: true })
  const { parts, error } = await readParts(model)
  t.match(error, { message: /not valid JSON/ })
  t.notOk(parts.some((part) => part.type === 'finish'))

  const silent = 'data: {"choices":[{"delta":{"content":"half an ans"}}]}\n\n'
  const half = await readParts(await openAnswering(silent))
  t.match(half.error, { message: /ended\sbefore its answer was finished/ })
  t.match(explain(half.error), { reason: 'outage' })
})

t.test('an error in the middle of a stream is thrown after what came before it', async (t) => {
  const lines = [
    'data: {"choices":[{"delta":{"content":"so far"}}]}\n\n',
    `data: {"error":{"code":429,"message":"Slow down"}}\n\n`,
  ]
  const { parts, error } = await readParts(await openAnswering(lines.join('')))
  t.match(parts.at(-1), { type: 'text-delta', delta: 'so far' })
  t.match(error, { statusCode: 429, data: { error: { message: 'Slow down' } } })
  t.strictSame(explain(error), { reason: 'rate_limit', status: 429 })
})

t.test('an abort ends a call before its answer and within it', async (t) => {
  const { fake, model } = await start(t)
  const never = new Promise<void>(() => {})

  const aborter = new AbortController()
  fake.next({ text: 'x', hold: never })
  const waiting = errorOf(model.doStream({ ...hello, abortSignal: aborter.signal }))
  const first = await fake.request(0)
  aborter.abort()
  t.match(await waiting, { name: 'AbortError' })
  await first.aborted

  const within = new AbortController()
  fake.next({ text: 'one two', hold: never, holdAfter: 1 })
  const { error } = await readParts(model, { ...hello, abortSignal: within.signal }, ({ type }) => {
    if (type === 'text-delta') within.abort()
  })
  t.match(error, { name: 'AbortError' })
  await (await fake.request(1)).aborted
  t.equal(fake.requests.length, 2)
})

t.test('a reader that leaves closes the connection', async (t) => {
  const { fake, model } = await start(t)
  fake.next({ text: 'one two', hold: new Promise(() => {}), holdAfter: 1 })
  const { stream } = await model.doStream(hello)
  await stream.cancel()
  await (await fake.request(0)).aborted
})

t.test('one connection serves turn after turn', async (t) => {
  let connections = 0
  const server = createServer((req, res) => {
    req.resume()
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    res.write('data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    setImmediate(() => res.end())
  })
  server.on('connection', () => connections++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const model = await kind.languageModel(connect(url), 'm')
  for (let turn = 0; turn < 5; turn++) {
    await callModel(model)
    await new Promise((resolve) => setImmediate(resolve))
  }
  t.ok(connections <= 2, `${connections} connections`)
})

t.test('an error does not carry the prompt', async (t) => {
  const { fake, model } = await start(t)
  fake.next({ status: 401 })
  const error = (await errorOf(model.doStream(hello))) as APICallError
  t.notMatch(JSON.stringify([error, { ...error }, error.message, error.stack]), 'a private question')
})

t.test('failures are sorted by what can be done about them', async (t) => {
  const { fake, model } = await start(t)
  const refusals: [Script, string][] = [
    [{ status: 401 }, 'auth'],
    [{ status: 403 }, 'auth'],
    [{ status: 402 }, 'quota'],
    [{ status: 429, error: { code: 'insufficient_quota' } }, 'quota'],
    [{ status: 429 }, 'rate_limit'],
    [{ status: 404 }, 'model_not_found'],
    [{ status: 400, error: { code: 'model_not_found' } }, 'model_not_found'],
    [{ status: 400 }, 'bad_request'],
    [{ status: 500 }, 'outage'],
    [{ status: 529 }, 'outage'],
    [{ status: 504 }, 'timeout'],
  ]
  for (const [script, reason] of refusals) {
    fake.next(script)
    const expected = { reason, status: script.status }
    t.strictSame(
      await failureOf(model.doStream(hello), kind),
      expected,
      `${script.status} ${script.error?.code}`,
    )
  }

  fake.next({ text: 'x', hold: new Promise(() => {}) })
  const { error: late } = await readParts(model, { ...hello, abortSignal: AbortSignal.timeout(50) })
  t.match(explain(late), { reason: 'timeout' })

  const closed = await createFakeOpenAI()
  await closed.close()
  const gone = await kind.languageModel(connect(closed.url), 'm')
  t.match(await failureOf(gone.doStream(hello), kind), { reason: 'unreachable' })
  t.match(explain(new TypeError('something else')), { reason: 'unknown' })
})

t.test('an address that answers with a page is not taken for a model', async (t) => {
  const page = new Response('<html>Welcome</html>', { headers: { 'content-type': 'text/html' } })
  const model = await kind.languageModel(connect('http://upstream.test', { fetch: async () => page }), 'm')
  const error = await errorOf(model.doStream(hello))
  t.match(error, { responseBody: '<html>Welcome</html>' })
  t.match(explain(error), { reason: 'bad_request' })
})

t.test('a key that is refused lists no models', async (t) => {
  const { fake } = await start(t, { apiKey: KEY })
  const wrongKey = listModels(kind, connect(fake.url, { api_key: 'wrong' }))
  t.match(await failureOf(wrongKey, kind), { reason: 'auth', status: 401 })
})

t.test('OpenAI and Anthropic get what only they ask for', async (t) => {
  const seen: { url: string; headers: Headers; body: string }[] = []
  const fetch: ProviderConnection['fetch'] = async (input, init) => {
    seen.push({ url: String(input), headers: new Headers(init?.headers), body: String(init?.body) })
    return Response.json({ data: [{ id: 'claude-x', display_name: 'Claude X' }] })
  }
  const models = await listModels(kind, connect('https://api.anthropic.com/v1', { fetch }))
  t.match(models, [{ id: 'claude-x', name: 'Claude X' }])
  t.equal(seen[0]!.url, 'https://api.anthropic.com/v1/models?limit=1000')
  t.equal(seen[0]!.headers.get('x-api-key'), KEY)

  const openai = await kind.languageModel(connect('https://api.openai.com/v1', { fetch }), 'gpt-4.1')
  await errorOf(callModel(openai, { ...hello, maxOutputTokens: 5 }))
  t.match(JSON.parse(seen[1]!.body), { max_completion_tokens: 5, max_tokens: undefined })
})

/** Starts an upstream whose answers are written by hand; returns its address. */
async function serveByHand(t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const toEvent = (content: string, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`

t.test('a redirect of a call is followed', async (t) => {
  const bodies: string[] = []
  const url = await serveByHand(t, async (request, response) => {
    const body = await text(request)
    if (request.url!.startsWith('/old')) {
      response.writeHead(308, { location: '/new/chat/completions' }).end('moved')
      return
    }
    bodies.push(body)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(toEvent('here', 'stop'))
  })
  const model = await kind.languageModel(connect(`${url}/old`), 'm')
  t.strictSame(wordsOf((await readParts(model)).parts), ['here'])
  t.match(
    bodies.map((body) => JSON.parse(body)),
    [{ model: 'm', stream: true }],
  )
})

t.test('a long answer waits for a slow reader', async (t) => {
  const words = Array.from({ length: 3000 }, (_, index) => `${index} ${'x'.repeat(1000)}`)
  const url = await serveByHand(t, (request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const word of words) response.write(toEvent(word))
    response.end(toEvent('', 'stop'))
  })
  const model = await kind.languageModel(connect(url), 'm')
  let waits = 0
  const { parts, error } = await readParts(model, hello, () => {
    waits += 1
    return waits < 10 ? pause(20) : undefined
  })
  t.equal(error, undefined)
  t.equal(wordsOf(parts).join(''), words.join(''))
})

t.test('texts are embedded at the embeddings endpoint', async (t) => {
  const { fake } = await start(t)
  const { embeddings } = await embedTexts(kind, connect(fake.url), 'text-embedding', ['one', 'two'])
  t.equal(embeddings.length, 2)
  t.match(fake.embeddingRequests, [{ body: { model: 'text-embedding', input: ['one', 'two'] } }])
})
