import type { Script } from '../../../plugin-api/testing/fake-openai.ts'
import t, { type Test } from '../../run/file-test.ts'
import { type ChatSocket, createHold, MODEL, startChat, textOf } from '../../support/chat.ts'

const chat = await startChat(t)
const { fake, createThread, history, server, threads } = chat

const form = { type: 'error', turn_id: String, seq: Number, message: String, details: {}, request_id: String }

/** Checks that the thread can be used as if nothing had happened. */
async function isUsable(t: Test, socket: ChatSocket, thread_id: string) {
  const { end, frames } = await socket.ask({ thread_id, text: 'and now?' })
  t.match(end, { type: 'done', stop_reason: 'end' })
  t.match(textOf(frames), /(^|\n\n)and now\?$/)
}

const refused: [what: string, scripts: Script[], error: { code: string; details: object }, shown: string][] =
  [
    ['refuses the key', [{ status: 401 }], { code: 'MODEL_AUTH_FAILED', details: { status: 401 } }, ''],
    [
      'asks to wait too long',
      [{ status: 429, headers: { 'retry-after': '3600' } }],
      { code: 'MODEL_RATE_LIMITED', details: { status: 429, reason: 'rate_limit' } },
      '',
    ],
    [
      'has no quota left',
      [{ status: 429, error: { code: 'insufficient_quota' } }],
      { code: 'MODEL_QUOTA_EXHAUSTED', details: { reason: 'quota' } },
      '',
    ],
    [
      'is out of order, again and again',
      Array(3).fill({ status: 500, headers: { 'retry-after': '0' } }),
      { code: 'MODEL_UNAVAILABLE', details: { status: 500, reason: 'outage' } },
      '',
    ],
    [
      'does not have the model',
      [{ status: 404, error: { code: 'model_not_found' } }],
      { code: 'MODEL_NOT_FOUND', details: { status: 404 } },
      '',
    ],
    [
      'breaks off in the middle of its answer',
      [{ text: ['some ', 'text ', 'lost'], disconnectAfter: 2 }],
      { code: 'MODEL_UNAVAILABLE', details: {} },
      'some text ',
    ],
    [
      'sends what is no event',
      [{ text: ['half ', 'said'], malformed: true }],
      { code: 'MODEL_UNAVAILABLE', details: { reason: 'outage' } },
      'half said',
    ],
  ]

for (const [what, scripts, error, shown] of refused)
  t.test(`An upstream that ${what} fails the turn and not the thread`, async (t) => {
    const socket = await chat.connect()
    const thread_id = await createThread()
    fake.next(...scripts)
    const { end, frames } = await socket.ask({ thread_id, text: 'hello' })
    t.match(end, { ...form, ...error })
    t.match(end.details, { provider: 'fake', model: 'm', guidance: String })
    t.equal(textOf(frames), shown)
    t.equal(frames.filter(({ type }) => type === 'error').length, 1)
    const { messages, turn_active } = await history(thread_id)
    t.equal(turn_active, false)
    t.match(messages, [
      { role: 'user', status: 'complete', content: [{ type: 'text', text: 'hello' }] },
      {
        role: 'assistant',
        status: 'failed',
        content: shown ? [{ type: 'text', text: shown }] : [],
        error: { code: end.code, message: end.message },
      },
    ])
    t.equal(messages.length, 2)
    await isUsable(t, socket, thread_id)
    const sentContents = fake.requests.at(-1)!.body.messages.map(({ content }) => content)
    t.ok(
      sentContents.some((text) => String(text).startsWith('hello')),
      'the message that failed is still part of the conversation',
    )
  })

t.test('A failure before the first word is retried without the client noticing', async (t) => {
  const socket = await chat.connect()
  const again = { status: 503, headers: { 'retry-after': '0' } }
  fake.next(again, { text: ['x'], disconnectAfter: 0 }, { text: 'third time lucky' })
  const { frames, end } = await socket.ask({ text: 'hello' })
  t.equal(textOf(frames), 'third time lucky')
  t.match(end, { type: 'done' })
})

t.test('A turn that fails in a later step keeps what its tools did', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  fake.next({ text: 'First', toolCalls: [{ name: 'ls', arguments: {} }] }, { status: 401 })
  const { end } = await socket.ask({ thread_id, text: 'hello' })
  t.match(end, { code: 'MODEL_AUTH_FAILED' })
  t.match((await history(thread_id)).messages, [
    { role: 'user' },
    { role: 'assistant', status: 'failed', content: [{ text: 'First' }, { type: 'tool_use' }] },
    { role: 'tool' },
  ])
  await isUsable(t, socket, thread_id)
})

t.test('A turn whose provider is disabled says so and asks no other one', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const { body: providers } = await server.request('GET', '/admin/providers')
  const { id } = providers.find(({ name }: { name: string }) => name === 'fake')
  const enable = (enabled: boolean) =>
    server.request('PATCH', `/admin/providers/${id}`, { body: { enabled } })
  await enable(false)
  const disabled = { ...form, code: 'MODEL_DISABLED', details: { model: MODEL } }
  t.match((await socket.ask({ thread_id, text: 'hello' })).end, disabled)
  t.match((await history(thread_id)).messages, [{ role: 'user' }, { status: 'failed', content: [] }])

  // Also if another provider is active, and the agent names this one.
  await server.request('PUT', '/models/active', { body: { model: 'demo:demo' } })
  await enable(true)
  const path = `/agents/${chat.agent_id}`
  await server.request('PATCH', path, { body: { default_model: MODEL } })
  await enable(false)
  const { end } = await socket.ask({ thread_id, text: 'hello' })
  t.match(end, { ...disabled, message: /"fake:/ })
  t.equal((await server.request('POST', `${path}/reload`)).status, 204)
  t.match((await server.request('GET', `${path}/status`)).body, { state: 'running', model: null })
  t.match((await socket.ask({ thread_id, text: 'hello' })).end, disabled)
  await enable(true)
  await isUsable(t, socket, thread_id)
  await server.request('PATCH', path, { body: { default_model: null } })
  await server.request('PUT', '/models/active', { body: { model: MODEL } })
})

t.test('A turn that cannot start is refused, stores nothing and creates no thread', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const threadCount = (await threads('GET', '?limit=200')).body.length
  const refusedWith = async (turn: object, error: object) => {
    const client_message_id = socket.say({ text: 'hello', ...turn })
    const frame = await socket.until((f) => f.client_message_id === client_message_id)
    t.match(frame, { type: 'error', message: String, details: {}, request_id: String, ...error })
    t.notOk('seq' in frame)
  }
  for (const place of [{ thread_id }, {}]) {
    for (const model of ['none:such', 'fake:other', 'no-colon'])
      await refusedWith({ ...place, model }, { ...place, code: 'PROVIDER_NOT_VISIBLE', details: { model } })
    await server.request('POST', `/agents/${chat.agent_id}/stop`)
    await refusedWith(place, { ...place, code: 'AGENT_NOT_RUNNING', details: { state: 'stopped' } })
    await server.request('POST', `/agents/${chat.agent_id}/start`)
  }
  await refusedWith({ thread_id: 'thr_none' }, { thread_id: 'thr_none', code: 'THREAD_NOT_FOUND' })
  await refusedWith({ session_key: 'none' }, { code: 'THREAD_NOT_FOUND' })
  t.match(await history(thread_id), { messages: [], last_seq: 0 })
  t.equal((await threads('GET', '?limit=200')).body.length, threadCount)
  await isUsable(t, socket, thread_id)
})

t.test('Stopping an agent ends its turns, and queued turns fail and are kept', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const { hold } = createHold()
  const request = fake.request(fake.requests.length)
  fake.next({ text: ['so far', 'never'], hold, holdAfter: 1 })
  const running = socket.say({ thread_id, text: 'one' })
  await socket.until(({ content }) => content === 'so far')
  const waiting = socket.say({ thread_id, text: 'two' })
  await socket.settle()
  t.equal((await server.request('POST', `/agents/${chat.agent_id}/stop`)).status, 204)
  await (await request).aborted
  t.match((await socket.seeTurn(running)).end, { type: 'done', stop_reason: 'stopped' })
  t.match((await socket.seeTurn(waiting)).end, { type: 'error', code: 'AGENT_NOT_RUNNING', thread_id })
  const { messages, queued } = await history(thread_id)
  t.match(messages, [
    { role: 'user' },
    { status: 'stopped', content: [{ text: 'so far' }] },
    { role: 'user', content: [{ text: 'two' }] },
    { status: 'failed', content: [] },
  ])
  t.strictSame([messages.length, queued], [4, []])
  const other = await chat.connect()
  await other.settle()
  t.match(await other.subscribe(thread_id, 0), { active: false }, 'a stopped agent can still be read')
  other.say({ thread_id, text: 'hello?' })
  t.match(await other.next('error'), { code: 'AGENT_NOT_RUNNING', thread_id })
  await server.request('POST', `/agents/${chat.agent_id}/start`)
  await isUsable(t, socket, thread_id)
})

t.test(
  'The error of a turn is shown in the language of its reader, also in a fork and a rebuilt thread',
  async (t) => {
    const socket = await chat.connect({ headers: { 'accept-language': 'zh' } })
    fake.next({ status: 401 }, { text: 'well' })
    const { thread_id, end } = await socket.ask({ text: 'hello' })
    await socket.ask({ thread_id, text: 'again' })
    const errorIn = async (id: string, language: string) => {
      const headers = { 'accept-language': language }
      const { body } = await threads('GET', `/${id}/history`, { headers })
      return body.messages[1].error
    }
    const message = 'The provider "fake" rejected the API key. Check the key and its permissions.'
    const en = { code: 'MODEL_AUTH_FAILED', message }
    t.strictSame(await errorIn(thread_id, 'zh'), { code: en.code, message: end.message })
    t.strictSame(await errorIn(thread_id, 'en'), en)
    const { body: fork } = await threads('POST', `/${thread_id}/fork`, {
      body: { assistant_turns_from_end: 1 },
    })
    t.strictSame(await errorIn(fork.thread_id, 'en'), en)

    const messages = server.db.collection('messages')
    await messages.deleteMany({ thread_id })
    const rows = server.db.collection<{ _id: string }>('threads')
    await rows.updateOne({ _id: thread_id }, { $unset: { projection_version: 1 } })
    await server.request('POST', `/agents/${chat.agent_id}/history-migration/start`)
    while ((await history(thread_id)).history_status !== 'ready') await new Promise(setImmediate)
    t.strictSame(await errorIn(thread_id, 'en'), en)

    await messages.updateOne(
      { thread_id, 'error.code': en.code },
      { $set: { 'error.code': 'OF_ANOTHER_TIME' } },
    )
    const kept = { code: 'OF_ANOTHER_TIME', message: end.message }
    t.strictSame(await errorIn(thread_id, 'en'), kept, 'words of an unknown code are those of the turn')
  },
)

t.test('Errors are in the language of the connection, else of the user, else in English', async (t) => {
  const ask = async (headers: Record<string, string>, turn: object) => {
    const socket = await chat.connect({ headers })
    socket.say({ text: 'hello', ...turn })
    return socket.until(({ type }) => type === 'error')
  }
  const texts = async (headers: Record<string, string>) => {
    fake.next({ status: 401 })
    const failed = await ask(headers, {})
    const refused = await ask(headers, { thread_id: 'thr_none' })
    return [failed.message, failed.details.guidance, refused.message]
  }
  const chinese = /\p{Script=Han}/u
  const zh = { 'accept-language': 'fr, zh-CN;q=0.9, en;q=0.1' }
  for (const text of await texts(zh)) t.match(text, chinese)
  for (const text of await texts({})) t.notMatch(text, chinese)
  await server.request('PATCH', '/auth/me', { body: { locale: 'zh' } })
  for (const text of await texts({})) t.match(text, chinese)
  for (const text of await texts({ 'accept-language': 'en' })) t.notMatch(text, chinese)
})

t.test('A turn whose answer can never be stored ends with an error, and its thread is free', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const messages = server.db.collection<{ _id: string; content: object[] }>('messages')
  // Any reason for which a database refuses a document for ever.
  const index = await messages.createIndex(
    { 'content.text': 1 },
    { unique: true, partialFilterExpression: { 'content.text': 'refused' } },
  )
  t.teardown(() => messages.dropIndex(index))
  await messages.insertOne({ _id: 'msg_other', content: [{ text: 'refused' }] })
  fake.next({ text: 'refused' })
  const { end } = await socket.ask({ thread_id, text: 'say it' })
  t.match(end, { ...form, code: 'TURN_NOT_STORED' })
  t.match((await history(thread_id)).messages, [
    { role: 'user', content: [{ text: 'say it' }] },
    { role: 'assistant', status: 'failed', content: [], error: { code: 'TURN_NOT_STORED' } },
  ])
  await isUsable(t, socket, thread_id)
})
