import { setTimeout as pause } from 'node:timers/promises'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV3Prompt, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import OpenAI from 'openai'
import type { ChatMessage } from '../../../plugin-api/testing/fake-openai.ts'
import type { ThreadDocument } from '../../../plugins/conversations/chat/documents.ts'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { createHold } from '../../support/chat.ts'
import { call, startPress } from '../conversations/approval-calls.ts'

const chat = await startPress(t)
const { fake, server, agent_id } = chat
const ann = await server.createUser({ username: 'ann' })
const baseURL = `${server.url}/api/v1`

const clientOf = (apiKey: string, headers: Record<string, string> = {}) =>
  new OpenAI({ baseURL, apiKey, maxRetries: 0, defaultHeaders: headers })
const openai = clientOf(server.admin.token)
const complete = openai.chat.completions

const user = (content: string) => ({ role: 'user', content }) as const
const assistant = (content: string) => ({ role: 'assistant', content }) as const

/** The messages of the last call of the model, without its instructions. */
const received = (): ChatMessage[] =>
  fake.requests.at(-1)!.body.messages.filter(({ role }) => role !== 'system')
const instructions = (): string =>
  fake.requests
    .at(-1)!
    .body.messages.filter(({ role }) => role === 'system')
    .map(({ content }) => String(content))
    .join('\n')
const countThreads = async () => (await chat.threads('GET', '?limit=200')).body.length

/** Asks in a thread and returns the completion and the name of its thread. */
async function ask(
  body: Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'model'> & { model?: string },
  thread_id?: string,
  client = openai,
) {
  const { data, response } = await client.chat.completions
    .create({ model: 'assistant', ...body }, thread_id ? { headers: { 'X-Thread-Id': thread_id } } : {})
    .withResponse()
  return { data, thread_id: response.headers.get('x-thread-id')! }
}

/** Waits until a value is what is wanted. */
async function until<Value>(read: () => Promise<Value> | Value, isWanted: (value: Value) => boolean) {
  for (;;) {
    const value = await read()
    if (isWanted(value)) return value
    await pause(20)
  }
}

const refusal = (promise: PromiseLike<unknown>) =>
  promise.then(
    (value) => t.fail('it is not refused', { value }),
    (error) => error,
  )

t.test("The models are the caller's agents and those shared with the caller", async (t) => {
  const own = (await openai.models.list()).data
  t.match(own, [{ id: 'assistant', object: 'model', owned_by: 'admin', name: 'assistant' }])
  t.match(await openai.models.retrieve('assistant'), { id: 'assistant', created: Number })
  t.match(await openai.models.retrieve(agent_id), { id: 'assistant' })
  t.match(await refusal(openai.models.retrieve('nobody')), {
    status: 404,
    code: 'MODEL_NOT_FOUND',
    type: 'invalid_request_error',
    param: 'model',
    message: /The model “nobody” does not exist/,
  })

  const { body: shared } = await server.request('POST', '/agents', {
    body: { name: 'shared', is_shared: true },
  })
  const hers = clientOf(ann.token)
  t.match((await hers.models.list()).data, [
    { id: 'assistant', owned_by: 'ann' },
    { id: shared.id, owned_by: 'admin', name: 'shared' },
  ])
  const { data, thread_id } = await ask({ model: shared.id, messages: [user('hello')] }, undefined, hers)
  t.equal(data.choices[0]!.message.content, 'hello')
  t.match(
    await refusal(ask({ model: shared.id, messages: [user('mine?')] }, thread_id)),
    { status: 404, code: 'THREAD_NOT_FOUND' },
    'threads are private',
  )
  t.match(await refusal(ask({ model: 'assistant', messages: [user('other agent')] }, thread_id, hers)), {
    status: 404,
    code: 'THREAD_NOT_FOUND',
  })
})

t.test('A completion has the text, the thoughts and the tokens of a turn', async (t) => {
  fake.next({
    text: 'four words in all',
    reasoning: ['hm, ', 'easy'],
    usage: { prompt_tokens: 12, completion_tokens: 7 },
  })
  const { data, thread_id } = await ask({ messages: [user('Count.')], user: 'u', metadata: { a: 'b' } })
  t.match(data, {
    id: /^chatcmpl-/,
    object: 'chat.completion',
    model: 'assistant',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'four words in all',
          reasoning_content: 'hm, easy',
          refusal: null,
        },
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 },
  })
  const { messages } = await chat.history(thread_id)
  t.match(messages, [{ role: 'user' }, { role: 'assistant', status: 'complete' }])
  const row = (await chat.threads('GET', '?limit=200')).body.find(
    (one: { thread_id: string }) => one.thread_id === thread_id,
  )
  t.match(row, { title: 'Count.', channel_type: 'api', unread: 0 })
})

t.test('A stream has chunks, the usage if it is asked for, and [DONE]', async (t) => {
  fake.next({ text: ['one ', 'two'], reasoning: ['hm'], usage: { prompt_tokens: 3, completion_tokens: 4 } })
  const stream = await complete.create({
    model: 'assistant',
    messages: [user('Go.')],
    stream: true,
    stream_options: { include_usage: true },
  })
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  t.match(chunks[0], {
    object: 'chat.completion.chunk',
    choices: [{ delta: { role: 'assistant' } }],
    usage: null,
  })
  const deltas = chunks.map(({ choices }) => (choices[0]?.delta ?? {}) as Record<string, string>)
  t.equal(deltas.map(({ content = '' }) => content).join(''), 'one two')
  t.equal(deltas.map(({ reasoning_content = '' }) => reasoning_content).join(''), 'hm')
  t.match(chunks.at(-2), { choices: [{ finish_reason: 'stop', delta: {} }] })
  t.match(chunks.at(-1), { choices: [], usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } })

  const raw = await fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.admin.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'assistant', messages: [user('plain')], stream: true }),
  })
  t.match(raw.headers.get('content-type'), /^text\/event-stream/)
  t.match(raw.headers.get('x-thread-id'), /^thr_/)
  const text = await raw.text()
  t.match(text, /\ndata: \[DONE\]\n\n$/)
  t.notMatch(text, /event:|"usage"/)
})

t.test('Earlier messages reach the model as messages, and the thread shows them', async (t) => {
  const body = {
    messages: [
      { role: 'system', content: 'Speak like a pirate.' },
      { role: 'assistant', content: 'Ahoy, how can I help?' },
      user('What is the weather?'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"at":"sea"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'storm' },
      { role: 'assistant', content: [{ type: 'text', text: 'Stormy.' }] },
      user('Nobody answered this.'),
      { role: 'developer', content: 'Be brief.' },
      user('And now?'),
    ],
  } as const
  const { thread_id } = await ask(structuredClone(body) as never)
  t.match(received(), [
    { role: 'user', content: 'What is the weather?' },
    { role: 'assistant', tool_calls: [{ function: { name: 'weather', arguments: '{"at":"sea"}' } }] },
    { role: 'tool', tool_call_id: received()[1]!.tool_calls![0]!.id, content: 'storm' },
    { role: 'assistant', content: 'Stormy.' },
    { role: 'user', content: 'Nobody answered this.\n\nAnd now?' },
  ])
  t.match(instructions(), /Speak like a pirate\.[\s\S]*Be brief\.[\s\S]*Ahoy, how can I help\?/)
  const { messages, last_seq } = await chat.history(thread_id)
  t.strictSame(
    messages.map(({ role }: { role: string }) => role),
    ['user', 'assistant', 'tool', 'assistant', 'user', 'user', 'assistant'],
  )
  t.equal((await chat.threads('GET', `/${thread_id}/trajectory?limit=200`)).body.events.at(-1).seq, last_seq)

  const { thread_id: same } = await ask({ messages: [...body.messages, user('Still?')] as never }, thread_id)
  t.equal(same, thread_id)
  t.match(received().at(-1), { content: 'Still?' })
  t.equal(received().length, 7, 'what the thread has is not sent again')
  t.match(instructions(), /Speak like a pirate\./, 'its instructions hold')
})

t.test('A thread with earlier messages can be rebuilt, forked and replayed', async (t) => {
  const { thread_id } = await ask({
    messages: [
      user('First.'),
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'ls', arguments: '{"path":"."}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'seen' },
      assistant('Found.'),
      user('Second.'),
    ],
  })
  const earlierHistory = await chat.history(thread_id)
  await server.db
    .collection('threads')
    .updateOne({ _id: thread_id as never }, { $set: { projection_version: 0 } })
  await server.request('POST', `/agents/${agent_id}/history-migration/start`)
  await until(
    () => chat.history(thread_id),
    ({ history_status }) => history_status === 'ready',
  )
  t.strictSame((await chat.history(thread_id)).messages, earlierHistory.messages)
  const fork = await chat.threads('POST', `/${thread_id}/fork`, { body: { assistant_turns_from_end: 2 } })
  t.match(fork, { status: 201, body: { copied_messages: 4 } })

  const { turnReplay } = server.server.runtime.cradleOf('trajectory')
  const exported = (await chat.threads('GET', `/${thread_id}/trajectory/export`)).body.trim().split('\n')
  const events = exported.slice(1).map((line: string) => JSON.parse(line))
  const turns = new Set<string>(events.map(({ turn_id }: { turn_id: string }) => turn_id))
  t.equal(turns.size, 2)
  for (const turn of turns) {
    const { recorded, replayed } = await turnReplay.run(
      events.filter(({ turn_id }: { turn_id: string }) => turn_id === turn),
    )
    t.strictSame(replayed, recorded)
  }
})

t.test('Instructions of a thread hold in its forks', async (t) => {
  const { thread_id } = await ask({ messages: [{ role: 'system', content: 'Sing.' }, user('Go.')] })
  const { body } = await chat.threads('POST', `/${thread_id}/fork`, { body: { assistant_turns_from_end: 1 } })
  await ask({ messages: [user('On.')] }, body.thread_id)
  t.match(instructions(), /Sing\./)
})

t.test('Parameters with an effect have it for one turn', async (t) => {
  await ask({
    messages: [user('Go.')],
    temperature: 0.25,
    top_p: 0.5,
    max_completion_tokens: 33,
    reasoning_effort: 'minimal',
    frequency_penalty: 1,
    unknown_field: { any: 'thing' },
  } as never)
  t.match(fake.requests.at(-1)!.body, { temperature: 0.25, top_p: 0.5, max_tokens: 33 })
  await ask({ messages: [user('Go.')], max_tokens: 44, temperature: null })
  t.match(fake.requests.at(-1)!.body, { max_tokens: 44 })
  t.notOk('temperature' in fake.requests.at(-1)!.body)
  await server.request('PATCH', `/agents/${agent_id}`, { body: { config: { max_output_tokens: 20 } } })
  await ask({ messages: [user('Go.')], max_tokens: 44 })
  t.match(fake.requests.at(-1)!.body, { max_tokens: 20 }, "the agent's limit is not exceeded")
  await server.request('PATCH', `/agents/${agent_id}`, { body: { config: {} } })

  fake.next({ text: 'cut', finishReason: 'length' })
  t.match((await ask({ messages: [user('Go.')], max_tokens: 1 })).data.choices, [{ finish_reason: 'length' }])
})

t.test('What would change the meaning of a reply is refused', async (t) => {
  const earlierCount = await countThreads()
  const asked = { messages: [user('Go.')] }
  for (const [parameter, value] of Object.entries({
    n: 2,
    functions: [{ name: 'x' }],
    logprobs: true,
    modalities: ['text', 'audio'],
    logit_bias: { 1: 2 },
    web_search_options: {},
  }))
    t.match(
      await refusal(ask({ ...asked, [parameter]: value })),
      { status: 400, code: 'PARAMETER_UNSUPPORTED', type: 'invalid_request_error', param: parameter },
      parameter,
    )
  await ask({ ...asked, n: 1, tools: [], stop: null, response_format: { type: 'text' }, logprobs: false })

  const unusable = async (messages: unknown[], path: string) => {
    const param = path
      .slice(1)
      .replace(/\/(\d+)/g, '[$1]')
      .replaceAll('/', '.')
    t.match(
      await refusal(ask({ messages: messages as never })),
      { status: 400, code: 'CONTENT_UNSUPPORTED', param, error: { details: { path } } },
      path,
    )
  }
  const part = (content: object) => ({ role: 'user', content: [content] })
  await unusable([{ role: 'system', content: 'x' }], '/messages/0')
  await unusable([user('a'), assistant('b')], '/messages/1')
  await unusable([user('a'), { role: 'tool', tool_call_id: 'no', content: 'x' }, user('b')], '/messages/1')
  await unusable([user('a'), { role: 'tool', content: 'x' }, user('b')], '/messages/1')
  await unusable([user('')], '/messages/0/content')
  await unusable([{ role: 'user' }], '/messages/0/content')
  await unusable([{ role: 'assistant', content: [{ type: 'audio' }] }, user('a')], '/messages/0/content/0')
  await unusable([part({ type: 'input_audio', input_audio: {} })], '/messages/0/content/0')
  await unusable(
    [part({ type: 'image_url', image_url: { url: 'https://example.com/a.png' } })],
    '/messages/0/content/0',
  )
  await unusable([part({ type: 'image_url', image_url: { url: 'data:,plain' } })], '/messages/0/content/0')
  await unusable(
    [part({ type: 'image_url', image_url: { url: 'data:image/png;base64,' } })],
    '/messages/0/content/0',
  )
  await unusable([part({ type: 'file', file: { file_id: 'file-1' } })], '/messages/0/content/0')
  t.match(await refusal(ask({ messages: [] })), { status: 422, code: 'VALIDATION_FAILED', param: 'messages' })
  t.match(await refusal(ask({ ...asked, temperature: 9 })), { status: 422, param: 'temperature' })
  t.match(await refusal(ask({ ...asked, model: 'nobody' })), { status: 404, code: 'MODEL_NOT_FOUND' })
  t.match(await refusal(clientOf('wrong').models.list()), {
    status: 401,
    code: 'AUTH_FAILED',
    type: 'authentication_error',
    param: null,
  })
  t.equal(await countThreads(), earlierCount + 1, 'nothing of it leaves a thread')
})

t.test('What OpenAI’s API has besides is refused in a sentence that says what to use', async (t) => {
  const refused = async (
    call: PromiseLike<unknown>,
    status: number,
    message: RegExp,
    code = 'OPERATION_UNSUPPORTED',
  ) => t.match(await refusal(call), { status, code, type: 'invalid_request_error', message })
  const { responses, conversations, embeddings } = openai
  const instead = /previous_response_id .*X-Thread-Id/
  await refused(conversations.create({}), 404, instead)
  await refused(conversations.retrieve('conv_1'), 404, instead)
  await refused(conversations.items.list('conv_1'), 404, instead)
  await refused(
    responses.create({ model: 'assistant', input: 'Hi.', conversation: 'conv_1' }),
    400,
    instead,
    'PARAMETER_UNSUPPORTED',
  )
  await refused(responses.delete('resp_1'), 405, /delete its thread/)
  await refused(responses.cancel('resp_1'), 405, /close the connection/)
  await refused(responses.inputItems.list('resp_1'), 404, /history of the thread/)
  await refused(responses.inputTokens.count({ model: 'assistant', input: 'Hi.' }), 404, /history/)
  await refused(embeddings.create({ model: 'assistant', input: 'Hi.' }), 404, /supports .*completions/)
})

t.test('Every error below /v1 has the fields that clients of OpenAI read', async (t) => {
  const authorization = `Bearer ${server.admin.token}`
  const json = { authorization, 'content-type': 'application/json' }
  const cases: [status: number, type: string, path: string, init: RequestInit][] = [
    [400, 'invalid_request_error', '/responses', { method: 'POST', body: '{', headers: json }],
    [401, 'authentication_error', '/models', {}],
    [404, 'invalid_request_error', '/nothing', { headers: json }],
    [404, 'invalid_request_error', '', { headers: json }],
    [405, 'invalid_request_error', '/models', { method: 'PUT', headers: json }],
    [
      413,
      'invalid_request_error',
      '/responses',
      { method: 'POST', body: 'x'.repeat(31 * 1024 * 1024), headers: json },
    ],
    [
      415,
      'invalid_request_error',
      '/responses',
      { method: 'POST', body: 'x', headers: { authorization, 'content-type': 'text/plain' } },
    ],
  ]
  for (const [status, type, path, init] of cases) {
    const response = await fetch(`${baseURL}${path}`, init)
    t.match(
      { status: response.status, body: await response.json() },
      { status, body: { error: { type, param: null, code: String, message: String, request_id: String } } },
      `${status} ${path}`,
    )
  }
  const elsewhere = await server.request('GET', '/v2')
  t.notOk('type' in elsewhere.body.error)
})

t.test('Images and files of data: URLs come into the workspace once', { skip: onlyLong }, async (t) => {
  const url = `data:image/png;base64,${Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')}`
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url: { url } },
        { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,aGVsbG8=' } },
      ],
    },
  ] as never
  const { thread_id } = await ask({ messages })
  await ask({ messages: [...(messages as object[]), assistant('An image.'), user('Sure?')] as never })
  const { messages: shown } = await chat.history(thread_id)
  const [, image, file] = shown[0].content
  t.match(image, { type: 'image', media_type: 'image/png', path: /^inbound\/[0-9a-f]{24}\.png$/ })
  t.match(file, { type: 'file', media_type: 'text/plain', path: /^inbound\/[0-9a-f]{24}\.txt$/ })
  t.match(JSON.stringify(received()[0]), image.path)
  const { body: files } = await server.request('GET', `/agents/${agent_id}/files?path=inbound`)
  t.equal(files.length, 2)

  const large = `data:image/png;base64,${Buffer.alloc(20 * 1024 * 1024).toString('base64')}`
  const photo = { type: 'input_image', image_url: large, detail: 'auto' } as const
  const input = [{ role: 'user' as const, content: [photo] }]
  await openai.responses.create({ model: 'assistant', input })

  const { body: shared } = await server.request('GET', '/agents', { token: ann.token })
  const other = shared.find(({ name }: { name: string }) => name === 'shared').id
  const { thread_id: hers } = await ask({ model: other, messages }, undefined, clientOf(ann.token))
  const { messages: sent } = await chat.history(hers, '', { token: ann.token, agent_id: other })
  const path = encodeURIComponent(sent[0].content[1].path)
  const read = await server.request('GET', `/agents/${other}/files/content?path=${path}`, {
    token: ann.token,
  })
  t.equal(read.status, 200, 'a guest may read what they have sent')
})

t.test("Tools run on the server and are not shown as the client's", async (t) => {
  fake.next(
    {
      text: 'Let me see.',
      toolCalls: [call('c1', 'ls', { path: '.' })],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    },
    { text: 'All done.', usage: { prompt_tokens: 10, completion_tokens: 20 } },
  )
  const { data } = await ask({ messages: [user('List.')] })
  t.match(data.choices, [{ message: { content: 'Let me see.\n\nAll done.' }, finish_reason: 'stop' }])
  t.notOk('tool_calls' in data.choices[0]!.message)
  t.match(data.usage, { prompt_tokens: 11, completion_tokens: 22, total_tokens: 33 })
})

t.test('Errors have their status before the reply begins, and are events after', async (t) => {
  const earlierCount = await countThreads()
  for (const stream of [false, true]) {
    fake.next({ status: 401 })
    t.match(await refusal(complete.create({ model: 'assistant', messages: [user('Go.')], stream })), {
      status: 502,
      code: 'MODEL_AUTH_FAILED',
    })
  }
  t.equal(await countThreads(), earlierCount, 'a failed request leaves no thread')

  fake.next({ text: ['half ', 'a ', 'word'], disconnectAfter: 2 })
  const stream = await complete.create({ model: 'assistant', messages: [user('Go.')], stream: true })
  let text = ''
  const error = await refusal(
    (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    })(),
  )
  t.match(text, /^half/)
  t.match(error, {
    code: /^MODEL_/,
    type: 'server_error',
    param: null,
    error: { message: String, request_id: String },
  })

  await server.request('POST', `/agents/${agent_id}/stop`)
  t.match(await refusal(ask({ messages: [user('Go.')] })), { status: 409, code: 'AGENT_NOT_RUNNING' })
  await server.request('POST', `/agents/${agent_id}/start`)
})

t.test('A client that leaves stops the turn', async (t) => {
  const { hold, release } = createHold()
  t.teardown(release)
  fake.next({ text: ['one ', 'two ', 'three'], hold, holdAfter: 1 })
  const stream = await complete.create({ model: 'assistant', messages: [user('Leave.')], stream: true })
  for await (const { choices } of stream) if (choices[0]?.delta.content) break
  const [{ thread_id }] = (await chat.threads('GET', '?limit=1')).body
  const { messages } = await until(
    () => chat.history(thread_id),
    ({ turn_active }) => !turn_active,
  )
  t.match(messages.at(-1), { role: 'assistant', status: 'stopped', content: [{ text: 'one ' }] })

  const earlierCount = await countThreads()
  const leaving = new AbortController()
  const count = fake.requests.length
  fake.next({ text: 'never', hold })
  const left = refusal(
    complete.create({ model: 'assistant', messages: [user('Leave.')] }, { signal: leaving.signal }),
  )
  const { aborted } = await fake.request(count)
  leaving.abort()
  await left
  await aborted
  await until(countThreads, (threads) => threads === earlierCount)
})

t.test('A request waits for its thread, and leaves the queue with its client', async (t) => {
  const { thread_id } = await ask({ messages: [user('Begin.')] })
  const { hold, release } = createHold()
  fake.next({ text: 'first', hold })
  const count = fake.requests.length
  const first = ask({ messages: [user('first')] }, thread_id)
  await fake.request(count)
  const leaving = new AbortController()
  const headers = { 'X-Thread-Id': thread_id }
  const second = refusal(
    complete.create({ model: 'assistant', messages: [user('second')] }, { headers, signal: leaving.signal }),
  )
  const queued = (n: number) =>
    until(
      async () => (await chat.history(thread_id)).queued.length,
      (length) => length === n,
    )
  await queued(1)
  const third = ask({ messages: [user('third')], temperature: 0.75 }, thread_id)
  await queued(2)
  leaving.abort()
  await second
  await queued(1)
  release()
  t.equal((await first).data.choices[0]!.message.content, 'first')
  t.equal((await third).data.choices[0]!.message.content, 'third')
  t.strictSame(
    received().map(({ content }) => content),
    ['Begin.', 'Begin.', 'first', 'first', 'third'],
  )
  t.match(fake.requests.at(-1)!.body, { temperature: 0.75 }, 'its settings wait with it')
})

t.test(
  'A turn that waits for approval ends the reply with a sentence, and its thread takes no requests',
  async (t) => {
    fake.next({ text: 'I will punch.', toolCalls: [call('c1', 'punch', { mark: 'api' })] })
    const { data, thread_id } = await ask({ messages: [user('Punch.')] })
    t.match(data.choices, [
      {
        finish_reason: 'stop',
        message: { content: /^I will punch\.\n\nThe agent needs .* `punch`.*hitl\/resume/ },
      },
    ])
    for (const stream of [true, false])
      t.match(
        await refusal(
          complete.create(
            { model: 'assistant', messages: [user('And?')], stream },
            { headers: { 'X-Thread-Id': thread_id } },
          ),
        ),
        { status: 409, code: 'THREAD_PAUSED' },
      )
    t.strictSame((await chat.history(thread_id)).queued, [])
    fake.next({ text: 'Punched.' })
    await (await chat.decide(thread_id, [{ type: 'approve' }])).rest()
    await ask({ messages: [user('And?')] }, thread_id)
    t.match(JSON.stringify(received()), /Punched\./)

    fake.next({ toolCalls: [call('c2', 'ask_user_question', { question: 'Which one?' })] })
    const zh = clientOf(server.admin.token, { 'accept-language': 'zh' })
    const asked = await ask({ messages: [user('Choose.')] }, undefined, zh)
    t.match(asked.data.choices[0]!.message.content, /^智能体提问：.*Which one\?/)
  },
)

t.test('Half a character is stored as the database can store it', async (t) => {
  const { thread_id } = await ask({
    messages: [
      { role: 'system', content: 'a\ud83d' },
      user('b\ud83d'),
      assistant('c\ud83d'),
      user('d\ud83d'),
    ],
  })
  const { messages } = await chat.history(thread_id)
  t.strictSame(
    messages.slice(0, 3).map(({ content }: { content: { text: string }[] }) => content[0]!.text),
    ['b\ufffd', 'c\ufffd', 'd\ufffd'],
  )
  t.match(instructions(), /a\ufffd/)
})

t.test('Only the newest threads are kept, and those that are pinned or wait', async (t) => {
  const { thread_id: pinned } = await ask({ messages: [user('Pin me.')] })
  await chat.threads('PATCH', `/${pinned}`, { body: { pinned: true } })
  const { thread_id: oldest } = await ask({ messages: [user('Old.')] })
  const own = await chat.createThread()
  fake.next({ toolCalls: [call('c1', 'punch', { mark: 'kept' })] })
  const { thread_id: paused } = await ask({ messages: [user('Punch.')] })
  fake.next({ toolCalls: [call('c1', 'weather', {})] })
  const tools = [{ type: 'function' as const, function: { name: 'weather' } }]
  const { thread_id: abandoned } = await ask({ messages: [user('Call.')], tools })
  const newest = []
  for (const text of ['One.', 'Two.']) newest.push((await ask({ messages: [user(text)] })).thread_id)
  const ids = [pinned, oldest, own, paused, abandoned] as never[]
  await server.db.collection('threads').updateMany({ _id: { $in: ids } }, { $set: { last_active: 1 } })

  const plugin = server.server.runtime.plugins.find((one) => one.plugin.name === 'openai-api')!
  const [job] = plugin.declarations.jobs
  const { chat: service, threads } = server.server.runtime.cradleOf('openai-api')
  await job!.run(
    { chat: service, threads, config: { max_threads: 2 } } as never,
    new AbortController().signal,
  )
  const rows: { thread_id: string }[] = (await chat.threads('GET', '?limit=200')).body
  const kept = rows.map(({ thread_id }) => thread_id)
  for (const thread_id of [pinned, own, paused, ...newest]) t.ok(kept.includes(thread_id))
  for (const thread_id of [oldest, abandoned]) t.notOk(kept.includes(thread_id))
})

t.test('A request that waits behind a turn that pauses is refused', async (t) => {
  const { thread_id } = await ask({ messages: [user('Begin.')] })
  const { hold, release } = createHold()
  fake.next({ toolCalls: [call('c1', 'punch', { mark: 'late' })], hold })
  const count = fake.requests.length
  const first = ask({ messages: [user('Punch.')] }, thread_id)
  await fake.request(count)
  const second = refusal(ask({ messages: [user('And?')] }, thread_id))
  await until(
    async () => (await chat.history(thread_id)).queued.length,
    (length) => length === 1,
  )
  release()
  await first
  t.match(await second, { status: 409, code: 'THREAD_PAUSED' })
})

t.test('A response has its items, and the next one continues its thread', async (t) => {
  fake.next({ text: 'Hello.', reasoning: ['hm'], usage: { prompt_tokens: 3, completion_tokens: 4 } })
  const first = await openai.responses.create({
    model: 'assistant',
    input: 'Hi.',
    instructions: 'Be kind.',
    metadata: { a: 'b' },
  })
  t.match(first, {
    id: /^resp_[0-9A-Z]{52}$/,
    status: 'completed',
    output_text: 'Hello.',
    output: [
      { type: 'reasoning', id: /^rs_/, summary: [{ type: 'summary_text', text: 'hm' }] },
      { type: 'message', id: /^msg_/, role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] },
    ],
    usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
    metadata: { a: 'b' },
    previous_response_id: null,
  })
  t.match(instructions(), /Be kind\./)
  const second = await openai.responses.create({
    model: 'assistant',
    input: [
      { role: 'user', content: 'One.' },
      { role: 'user', content: [{ type: 'input_text', text: 'Two.' }] },
    ],
    previous_response_id: first.id,
    max_output_tokens: 5,
    reasoning: { effort: 'low' },
  })
  t.equal(second.previous_response_id, first.id)
  t.match(received(), [{ content: 'Hi.' }, { content: 'Hello.' }, { content: 'One.\n\nTwo.' }])
  t.notMatch(instructions(), /Be kind\./, 'instructions are those of the request')
  t.match(fake.requests.at(-1)!.body, { max_tokens: 5 })

  const branch = await openai.responses.create({
    model: 'assistant',
    input: 'Instead.',
    previous_response_id: first.id,
  })
  t.strictSame(
    received().map(({ content }) => content),
    ['Hi.', 'Hello.', 'Instead.'],
    'an earlier response begins a fork',
  )
  t.match(await openai.responses.retrieve(branch.id), { id: branch.id, output_text: 'Instead.' })
  t.match(await openai.responses.retrieve(first.id), {
    id: first.id,
    status: 'completed',
    model: 'assistant',
    output: first.output,
    usage: first.usage,
  })
  const missing = { status: 404, code: 'RESPONSE_NOT_FOUND' }
  t.match(await refusal(openai.responses.retrieve('resp_1')), missing)
  t.match(await refusal(openai.responses.retrieve(first.id.replace(/.{26}$/, '0'.repeat(26)))), missing)
  t.match(await refusal(clientOf(ann.token).responses.retrieve(first.id)), missing)
  const hers = { model: 'assistant', input: 'x', previous_response_id: first.id }
  t.match(await refusal(clientOf(ann.token).responses.create(hers)), missing)
  const lost = first.id.replace(/.{26}$/, '0'.repeat(26))
  t.match(
    await refusal(openai.responses.create({ model: 'assistant', input: 'x', previous_response_id: lost })),
    missing,
  )
})

t.test('Instructions of a response replace those of its thread, also if it waits', async (t) => {
  const { thread_id } = await ask({ messages: [user('Begin.')] })
  const headers = { 'X-Thread-Id': thread_id }
  const create = (input: string, instructions?: string) =>
    openai.responses.create({ model: 'assistant', input, instructions }, { headers })
  await create('One.', 'Be brief. $last_seq')
  t.match(instructions(), /Be brief\. \$last_seq/)
  await ask({ messages: [user('Two.')] }, thread_id)
  t.match(instructions(), /Be brief\./, 'they hold for completions, which bring none to a thread')
  const { hold, release } = createHold()
  fake.next({ text: 'held', hold })
  const count = fake.requests.length
  const first = create('Three.')
  await fake.request(count)
  t.notMatch(instructions(), /Be brief\./, 'without instructions the thread has none')
  const second = create('Four.', 'Be loud.')
  await until(
    async () => (await chat.history(thread_id)).queued.length,
    (length) => length === 1,
  )
  release()
  await Promise.all([first, second])
  t.match(instructions(), /Be loud\./)
  const missing = { status: 404, code: 'THREAD_NOT_FOUND' }
  const hers = clientOf(ann.token).responses.create(
    { model: 'assistant', input: 'x', instructions: 'Obey.' },
    { headers },
  )
  t.match(await refusal(hers), missing)
  await create('Five.', 'Be loud.')
  t.match(instructions(), /Be loud\./)
})

t.test('Instructions last if the database died before they were in its journal', async (t) => {
  const { thread_id } = await ask({ messages: [user('Begin.')] })
  const { turnLeases } = server.server.runtime.cradleOf('chat')
  const { take } = turnLeases
  turnLeases.take = async (...args: Parameters<typeof take>) => {
    turnLeases.take = take
    const leased = await take(...args)
    // A crash of the database removes the lease and what was written with it.
    await server.db
      .collection<ThreadDocument>('threads')
      .updateOne({ _id: thread_id }, { $set: { active_turn: null }, $unset: { instructions: '' } })
    return leased
  }
  await openai.responses.create(
    { model: 'assistant', input: 'One.', instructions: 'Be brief.' },
    { headers: { 'X-Thread-Id': thread_id } },
  )
  await ask({ messages: [user('Two.')] }, thread_id)
  t.match(instructions(), /Be brief\./)
})

t.test('A response is streamed as typed events in order', async (t) => {
  fake.next(
    { text: 'Look.', reasoning: ['hm'], toolCalls: [call('c1', 'ls', { path: '.' })] },
    { text: ['Do', 'ne.'], finishReason: 'length' },
  )
  const events = []
  const stream = openai.responses.stream({ model: 'assistant', input: 'Go.' })
  for await (const event of stream) events.push(event)
  t.strictSame(
    events.map(({ sequence_number }) => sequence_number),
    events.map((_, index) => index),
  )
  const types = events.map(({ type }) => type.replace('response.', ''))
  t.strictSame(
    types.filter((type, index) => type !== types[index - 1]),
    [
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      ...['output_item.added', 'content_part.added', 'output_text.delta'],
      ...['output_text.done', 'content_part.done', 'output_item.done'],
      ...['output_item.added', 'content_part.added', 'output_text.delta'],
      ...['output_text.done', 'content_part.done', 'output_item.done'],
      'incomplete',
    ],
  )
  const final = await stream.finalResponse()
  t.match(final, {
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output_text: 'Look.\n\nDone.',
  })

  fake.next({ text: ['half ', 'a'], disconnectAfter: 1 })
  const failed = await openai.responses.create({ model: 'assistant', input: 'Fail.' })
  t.match(failed, { status: 'failed', error: { code: /^MODEL_/ }, output: [{ type: 'message' }] })
})

t.test('Items of a response are read as messages', async (t) => {
  const first = await openai.responses.create({ model: 'assistant', input: 'Remember me.' })
  const { id } = first.output[0] as { id: string }
  const input = [
    { role: 'developer', content: 'Hum.' },
    { role: 'user', content: 'A.' },
    { type: 'reasoning', id: 'rs_1', summary: [] },
    { type: 'item_reference', id: 'rs_2' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'B.' }] },
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
    { type: 'function_call', call_id: 'c2', name: 'g', arguments: '' },
    { type: 'function_call_output', call_id: 'c1', output: 'one' },
    { type: 'function_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'two' }] },
    { type: 'item_reference', id },
    {
      role: 'user',
      content: [{ type: 'input_file', filename: 'x.txt', file_data: 'data:text/plain;base64,eA==' }],
    },
  ]
  await openai.responses.create({ model: 'assistant', input: input as never })
  t.match(received(), [
    { content: 'A.' },
    { content: 'B.', tool_calls: [{}, {}] },
    { role: 'tool', content: 'one' },
    { role: 'tool', content: 'two' },
    { role: 'assistant', content: 'Remember me.' },
    { role: 'user' },
  ])
  t.match(instructions(), /Hum\./)
  const unusable = async (item: object, path = '/input/0', client = openai) =>
    t.match(
      await refusal(
        client.responses.create({
          model: 'assistant',
          input: [item, { role: 'user', content: 'x' }] as never,
        }),
      ),
      { status: 400, code: 'CONTENT_UNSUPPORTED', error: { details: { path } } },
      JSON.stringify(item),
    )
  await unusable({ type: 'item_reference', id }, '/input/0', clientOf(ann.token))
  await unusable({ type: 'item_reference', id: 'msg_0' })
  await unusable({ role: 'robot', content: 'x' })
  await unusable({ type: 'function_call', name: 'f' })
  await unusable({ type: 'function_call_output', output: 'x' })
  await unusable({ type: 'computer_call' })
  await unusable(
    { role: 'user', content: [{ type: 'input_image', image_url: 'http://a' }] },
    '/input/0/content/0',
  )
  for (const [parameter, value] of Object.entries({
    background: true,
    conversation: 'conv_1',
    prompt: { id: 'p' },
  }))
    t.match(
      await refusal(openai.responses.create({ model: 'assistant', input: 'x', [parameter]: value } as never)),
      { status: 400, code: 'PARAMETER_UNSUPPORTED', error: { details: { parameter } } },
      parameter,
    )
  const hosted = { model: 'assistant', input: 'x', tools: [{ type: 'web_search' as const }] }
  t.match(await refusal(openai.responses.create(hosted)), {
    status: 400,
    code: 'PARAMETER_UNSUPPORTED',
    param: 'tools[0].type',
  })
})

t.test('A paused response cannot be continued until it is decided', async (t) => {
  fake.next({ toolCalls: [call('c1', 'punch', { mark: 'resp' })] })
  const paused = await openai.responses.create({ model: 'assistant', input: 'Punch.' })
  t.match(paused, { status: 'completed', output_text: /`punch`/ })
  t.match(
    await refusal(
      openai.responses.create({ model: 'assistant', input: 'x', previous_response_id: paused.id }),
    ),
    { status: 409, code: 'THREAD_PAUSED' },
  )
})

for (const [name, model] of [
  [
    '@ai-sdk/openai-compatible',
    createOpenAICompatible({ name: 'svc', baseURL, apiKey: server.admin.token })('assistant'),
  ],
  ['@ai-sdk/openai', createOpenAI({ baseURL, apiKey: server.admin.token }).responses('assistant')],
  ['@ai-sdk/openai, chat', createOpenAI({ baseURL, apiKey: server.admin.token }).chat('assistant')],
] as const)
  t.test(`${name} talks to an agent`, async (t) => {
    const prompt: LanguageModelV3Prompt = [
      { role: 'system', content: 'Be nice.' },
      { role: 'user', content: [{ type: 'text', text: 'Ping.' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Pong.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Again.' }] },
    ]
    fake.next({ text: 'Pong again.', usage: { prompt_tokens: 3, completion_tokens: 4 } })
    const { content, finishReason, usage } = await model.doGenerate({ prompt })
    t.match(content, [{ type: 'text', text: 'Pong again.' }])
    t.equal(finishReason.unified, 'stop')
    t.match(usage, { inputTokens: { total: 3 }, outputTokens: { total: 4 } })
    t.match(received(), [{ content: 'Ping.' }, { content: 'Pong.' }, { content: 'Again.' }])

    fake.next({ text: ['Po', 'ng.'], reasoning: ['hm'] })
    const parts: LanguageModelV3StreamPart[] = []
    for await (const part of (await model.doStream({ prompt })).stream) parts.push(part)
    t.equal(parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join(''), 'Pong.')
    t.match(parts.at(-1), { type: 'finish', finishReason: { unified: 'stop' } })
    t.notOk(parts.some(({ type }) => type === 'error'))
  })
