import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  APICallError,
  type LanguageModelV3CallOptions,
  type LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import { createParser } from 'eventsource-parser'
import { createFakeOpenAI, type FakeOpenAIOptions } from '../plugin-api/testing/fake-openai.ts'
import t, { type Test } from './run/file-test.ts'

const turn = { model: 'fake-model', messages: [{ role: 'user', content: 'say this again' }] }
const prompt: LanguageModelV3CallOptions['prompt'] = [
  { role: 'user', content: [{ type: 'text', text: 'say this again' }] },
]

async function start(t: Test, options?: FakeOpenAIOptions) {
  const fake = await createFakeOpenAI(options)
  t.teardown(() => fake.close())
  const post = (path: string, body: unknown, init: RequestInit = {}) =>
    fetch(fake.url + path, { method: 'POST', body: JSON.stringify(body), ...init })
  const model = (apiKey = 'any') =>
    createOpenAICompatible({ name: 'fake', baseURL: fake.url, apiKey, includeUsage: true }).chatModel(
      'fake-model',
    )
  return { fake, post, model }
}

function parseEvents(stream: string): string[] {
  const events: string[] = []
  createParser({ onEvent: ({ data }) => events.push(data) }).feed(stream)
  return events
}

async function collect(stream: ReadableStream<LanguageModelV3StreamPart>) {
  const parts: LanguageModelV3StreamPart[] = []
  for await (const part of stream) parts.push(part)
  return parts
}

const ofType = <T extends LanguageModelV3StreamPart['type']>(parts: LanguageModelV3StreamPart[], type: T) =>
  parts.filter((part): part is Extract<LanguageModelV3StreamPart, { type: T }> => part.type === type)

t.test(
  'an unscripted stream echoes the last user message word by word in chunks of one completion',
  async (t) => {
    const { fake, post } = await start(t)
    const response = await post('/chat/completions', { ...turn, stream: true })
    t.match(response.headers.get('content-type'), /^text\/event-stream/)
    const events = parseEvents(await response.text())
    t.equal(events.pop(), '[DONE]')
    const chunks = events.map((event) => JSON.parse(event))
    t.strictSame(
      chunks.map(({ choices }) => choices),
      [
        [{ index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }],
        [{ index: 0, delta: { content: 'say' }, logprobs: null, finish_reason: null }],
        [{ index: 0, delta: { content: ' this' }, logprobs: null, finish_reason: null }],
        [{ index: 0, delta: { content: ' again' }, logprobs: null, finish_reason: null }],
        [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }],
      ],
    )
    t.equal(new Set(chunks.map(({ id }) => id)).size, 1)
    for (const chunk of chunks) {
      t.match(chunk, { object: 'chat.completion.chunk', model: 'fake-model', created: Number })
      t.notOk('usage' in chunk, 'usage is sent only if requested')
    }
    t.match(fake.requests, [{ body: { ...turn, stream: true }, headers: { host: String } }])
  },
)

t.test('a stream with requested usage ends with a chunk of usage without choices', async (t) => {
  const { fake, post } = await start(t)
  fake.next({ text: 'hi', usage: { prompt_tokens: 7, completion_tokens: 2 } })
  const body = { ...turn, stream: true, stream_options: { include_usage: true } }
  const events = parseEvents(await (await post('/chat/completions', body)).text())
  const chunks = events.slice(0, -1).map((event) => JSON.parse(event))
  t.match(chunks.pop(), {
    choices: [],
    usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
  })
  t.ok(chunks.every(({ usage }) => usage === null))
})

t.test('a request without streaming is answered with one completion', async (t) => {
  const { fake, post } = await start(t)
  fake.next({ reasoning: ['hm', 'm'], toolCalls: [{ id: 'call_1', name: 'ls', arguments: { path: '/' } }] })
  const first = await (await post('/chat/completions', turn)).json()
  t.match(first, {
    object: 'chat.completion',
    choices: [
      {
        message: {
          role: 'assistant',
          content: null,
          reasoning_content: 'hmm',
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'ls', arguments: '{"path":"/"}' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: Number, completion_tokens: Number, total_tokens: Number },
  })
  const second = await (await post('/chat/completions', turn)).json()
  t.match(second, { choices: [{ message: { content: 'say this again' }, finish_reason: 'stop' }] })
})

t.test('a configured key protects every endpoint, and a refusal has the OpenAI error format', async (t) => {
  const { fake, post } = await start(t, { apiKey: 'sk-right', models: ['a', 'b'] })
  const wrong = { headers: { authorization: 'Bearer sk-wrong' } }
  const right = { headers: { authorization: 'Bearer sk-right' } }
  for (const response of [
    await fetch(`${fake.url}/models`, wrong),
    await post('/chat/completions', turn, wrong),
    await post('/embeddings', { model: 'a', input: 'x' }),
  ]) {
    t.equal(response.status, 401)
    t.strictSame(await response.json(), {
      error: {
        message: 'Incorrect API key provided',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_api_key',
      },
    })
  }
  const listed = await (await fetch(`${fake.url}/models`, right)).json()
  t.match(listed, { object: 'list', data: [{ id: 'a', object: 'model' }, { id: 'b' }] })
  const unknown = await post('/chat/completions', { ...turn, model: 'c' }, right)
  t.equal(unknown.status, 404)
  t.match(await unknown.json(), { error: { code: 'model_not_found' } })
  t.equal((await post('/chat/completions', { ...turn, model: 'b' }, right)).status, 200)
})

t.test('a path that does not exist and a body that is not JSON are refused', async (t) => {
  const { fake, post } = await start(t)
  t.equal((await fetch(`${fake.url}/nothing`)).status, 404)
  const broken = await post('/chat/completions', null, { body: '{' })
  t.equal(broken.status, 400)
  t.match(await broken.json(), { error: { type: 'invalid_request_error' } })
})

t.test('embeddings are unit vectors in the order of the inputs and the same for the same text', async (t) => {
  const { fake, post } = await start(t)
  const response = await post('/embeddings', { model: 'embed', input: ['one', 'two', 'one'] })
  const { data } = (await response.json()) as { data: { index: number; embedding: number[] }[] }
  const [one, two, again] = data.map(({ embedding }) => embedding)
  t.strictSame(
    data.map(({ index }) => index),
    [0, 1, 2],
  )
  t.strictSame(one, again)
  t.notSame(one, two)
  t.ok(Math.abs(Math.hypot(...one!) - 1) < 1e-9)
  t.match(fake.embeddingRequests, [{ body: { input: ['one', 'two', 'one'] } }])
})

t.test(
  'queued scripts are used before the scripted answer, which receives the number of the request',
  async (t) => {
    const { fake, post } = await start(t)
    const say = async () => {
      const reply = (await (await post('/chat/completions', turn)).json()) as {
        choices: [{ message: { content: string } }]
      }
      return reply.choices[0].message.content
    }
    fake.script(({ body }, n) => ({ text: `${n} ${body.messages.length}` }))
    fake.next({ text: 'first' }, { text: 'second' })
    t.strictSame([await say(), await say(), await say()], ['first', 'second', '2 1'])
  },
)

t.test('a scripted answer that throws becomes an error of the upstream', async (t) => {
  const { fake, post } = await start(t)
  fake.script(() => {
    throw new Error('no such step')
  })
  const response = await post('/chat/completions', turn)
  t.equal(response.status, 500)
  t.match(await response.json(), { error: { message: /no such step/ } })
})

t.test('a held stream sends its first deltas, and a client that disconnects is recorded', async (t) => {
  const { fake, post } = await start(t)
  let release = () => {}
  const hold = new Promise<void>((resolve) => {
    release = resolve
  })
  fake.next({ text: ['a', 'b', 'c'], hold, holdAfter: 2 }, { text: ['a', 'b'], delayMs: 600_000 })

  const held = await post('/chat/completions', { ...turn, stream: true })
  const reader = held.body!.pipeThrough(new TextDecoderStream()).getReader()
  let shown = ''
  while (!shown.includes('"content":"b"')) shown += (await reader.read()).value
  const more = reader.read()
  const first = await Promise.race([more.then(() => 'more'), fetch(`${fake.url}/models`).then(() => 'held')])
  t.equal(first, 'held', 'the held stream sends nothing while another request is answered')
  release()
  t.match((await more).value, '"content":"c"')
  await reader.cancel()

  const leaving = new AbortController()
  await post('/chat/completions', { ...turn, stream: true }, { signal: leaving.signal })
  const request = await fake.request(1)
  t.equal(request.abortedAt, undefined)
  const leftAt = performance.now()
  leaving.abort()
  await request.aborted
  t.ok(request.abortedAt! >= leftAt)
})

t.test('request() waits for a request that has not arrived yet', async (t) => {
  const { fake, post } = await start(t)
  const arriving = fake.request(0)
  await (await post('/chat/completions', turn)).text()
  t.equal(await arriving, fake.requests[0])
  t.equal(fake.requests[0]!.abortedAt, undefined, 'a completely read reply is not recorded as aborted')
})

t.test(
  'disconnectAfter cuts the stream after that many deltas and is not recorded as an abort',
  async (t) => {
    const { fake, post } = await start(t)
    fake.next({ text: ['a', 'b', 'c'], disconnectAfter: 2 }, { text: ['a'], disconnectAfter: 0 })
    const response = await post('/chat/completions', { ...turn, stream: true })
    let shown = ''
    await t.rejects(async () => {
      for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) shown += bytes
    })
    t.strictSame(
      parseEvents(shown).map((event) => JSON.parse(event).choices[0].delta.content),
      ['', 'a', 'b'],
    )
    await t.rejects(
      post('/chat/completions', { ...turn, stream: true }),
      'disconnectAfter 0 sends no response',
    )
    t.equal(fake.requests[0]!.abortedAt, undefined)
  },
)

t.test('a malformed reply is invalid JSON, with and without streaming', async (t) => {
  const { fake, post } = await start(t)
  fake.next({ text: ['a'], malformed: true }, { text: ['a'], malformed: true })
  const stream = parseEvents(await (await post('/chat/completions', { ...turn, stream: true })).text())
  t.throws(() => JSON.parse(stream.at(-2)!))
  await t.rejects((await post('/chat/completions', turn)).json())
})

t.test(
  'the AI SDK reads reasoning, text, parallel tool calls, usage and the finish from the stream',
  async (t) => {
    const { fake, model } = await start(t, { apiKey: 'sk-right' })
    fake.next({
      reasoning: ['let me', ' look'],
      text: ['One', ' moment'],
      toolCalls: [
        { id: 'call_a', name: 'read_file', arguments: { path: 'notes/a-long-name.md' } },
        { id: 'call_b', name: 'ls', arguments: {} },
      ],
      usage: {
        prompt_tokens: 20,
        completion_tokens: 9,
        prompt_tokens_details: { cached_tokens: 12 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
    })
    const { stream } = await model('sk-right').doStream({ prompt })
    const parts = await collect(stream)
    t.strictSame(
      ofType(parts, 'reasoning-delta').map(({ delta }) => delta),
      ['let me', ' look'],
    )
    t.strictSame(
      ofType(parts, 'text-delta').map(({ delta }) => delta),
      ['One', ' moment'],
    )
    t.ok(ofType(parts, 'tool-input-delta').length > 2, 'the arguments arrive in fragments')
    t.match(ofType(parts, 'tool-call'), [
      { toolCallId: 'call_a', toolName: 'read_file', input: '{"path":"notes/a-long-name.md"}' },
      { toolCallId: 'call_b', toolName: 'ls', input: '{}' },
    ])
    t.match(ofType(parts, 'finish'), [
      {
        finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
        usage: { inputTokens: { total: 20, cacheRead: 12 }, outputTokens: { total: 9, reasoning: 4 } },
      },
    ])
    t.equal(ofType(parts, 'error').length, 0)
    t.match(fake.requests[0]!.body, {
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'say this again' }],
    })
  },
)

t.test('the AI SDK reads a completion without streaming, and embeddings', async (t) => {
  const { fake, model } = await start(t)
  const { content, finishReason } = await model().doGenerate({ prompt })
  t.match(content, [{ type: 'text', text: 'say this again' }])
  t.equal(finishReason.unified, 'stop')
  const embedder = createOpenAICompatible({ name: 'fake', baseURL: fake.url }).embeddingModel('embed')
  const { embeddings } = await embedder.doEmbed({ values: ['one', 'two'] })
  t.equal(embeddings.length, 2)
})

t.test('the AI SDK sees a scripted status as an API error with its headers and code', async (t) => {
  const { fake, model } = await start(t)
  fake.next({ status: 429, headers: { 'retry-after': '3' }, error: { code: 'insufficient_quota' } })
  const error = await model()
    .doStream({ prompt })
    .then(
      () => t.fail('the call succeeded'),
      (cause: unknown) => cause,
    )
  t.ok(APICallError.isInstance(error))
  t.match(error, {
    statusCode: 429,
    isRetryable: true,
    message: 'Rate limit reached',
    responseHeaders: { 'retry-after': '3' },
    data: { error: { code: 'insufficient_quota' } },
  })
})

t.test('an abort of the AI SDK reaches the fake while its stream is held', async (t) => {
  const { fake, model } = await start(t)
  fake.next({ text: ['a', 'b'], hold: new Promise(() => {}), holdAfter: 1 })
  const leaving = new AbortController()
  const { stream } = await model().doStream({ prompt, abortSignal: leaving.signal })
  await t.rejects(
    async () => {
      for await (const part of stream) if (part.type === 'text-delta') leaving.abort()
    },
    { name: 'AbortError' },
  )
  const request = await fake.request(0)
  await request.aborted
  t.ok(request.abortedAt! > request.receivedAt)
})

t.test('the AI SDK reports a malformed event as an error part, and a cut stream as a failure', async (t) => {
  const { fake, model } = await start(t)
  fake.next({ text: ['a'], malformed: true }, { text: ['a', 'b'], disconnectAfter: 1 })
  const parts = await collect((await model().doStream({ prompt })).stream)
  t.equal(ofType(parts, 'error').length, 1)
  const { stream } = await model().doStream({ prompt })
  await t.rejects(collect(stream))
})
