import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { MODEL, startChat } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { readPages } from '../../support/server.ts'

const clock = createTestClock()
const chat = await startChat(t, { clock })
const { server, threads, createThread, history } = chat

const list = async (query = '', token?: string) => (await threads('GET', query, { token })).body
const idsOf = (rows: { thread_id: string }[]) => rows.map(({ thread_id }) => thread_id)

t.test('A new thread is empty, has a key to resume it, and is listed', async (t) => {
  const { status, body } = await threads('POST', '')
  t.equal(status, 201)
  t.strictSame(Object.keys(body).sort(), ['session_key', 'thread_id'])
  const [row] = await list()
  t.match(row, {
    thread_id: body.thread_id,
    session_key: body.session_key,
    title: null,
    pinned: false,
    channel_type: 'web',
    model: null,
    last_active: Number,
    created_at: Number,
    turn_active: false,
    unread: 0,
    artifacts: [],
    sources: [],
  })
  t.match(await history(body.thread_id), {
    thread_id: body.thread_id,
    messages: [],
    has_more: false,
    next_cursor: null,
    limit: 25,
    offset: 0,
    turn_active: false,
    last_seq: 0,
    hitl_pending: null,
    history_status: 'ready',
    history_loading: false,
    history_retry_after_ms: null,
  })
})

t.test('A new thread may have a title, which its first message does not change', async (t) => {
  const { status, body } = await threads('POST', '', { body: { title: 'Plans' } })
  t.equal(status, 201)
  t.strictSame(Object.keys(body).sort(), ['session_key', 'thread_id'])
  const socket = await chat.connect()
  await socket.ask({ thread_id: body.thread_id, text: 'hello' })
  socket.close()
  t.match((await list())[0], { thread_id: body.thread_id, title: 'Plans' })
  for (const wrong of [
    { title: '' },
    { title: ' ' },
    { title: 'x'.repeat(201) },
    { title: null },
    { name: 'x' },
  ])
    t.match(await threads('POST', '', { body: wrong }), { status: 422 })
})

t.test('Threads are listed pinned first, then by last activity, and page by page', async (t) => {
  const ann = await server.createUser({ username: 'ann' })
  const { token } = ann
  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { is_shared: true } })
  const socket = await chat.connect({ token })
  const made: string[] = []
  for (let n = 0; n < 5; n += 1) {
    clock.advance(1)
    made.push(await createThread({ token }))
  }
  const [a, b, c, d, e] = made as [string, string, string, string, string]
  t.strictSame(idsOf(await list('', token)), [e, d, c, b, a])
  clock.advance(1)
  await socket.ask({ thread_id: b, text: 'hello' })
  t.strictSame(idsOf(await list('', token)), [b, e, d, c, a], 'a turn brings its thread to the top')
  await threads('PATCH', `/${a}`, { token, body: { pinned: true } })
  clock.advance(1)
  await threads('PATCH', `/${d}`, { token, body: { pinned: true } })
  const order = [d, a, b, e, c]
  t.strictSame(idsOf(await list('', token)), order, 'pinning is no activity')

  t.strictSame(idsOf(await list('?limit=2', token)), order.slice(0, 2))
  t.strictSame(idsOf(await list('?limit=2&offset=2', token)), order.slice(2, 4))
  t.strictSame(idsOf(await list('?limit=2&offset=4', token)), order.slice(4))
  t.strictSame(await list('?offset=9', token), [])
  for (const [query, rows] of [
    ['?limit=2', order],
    ['?limit=1&offset=1', order.slice(1)],
    ['?limit=5', order],
  ] as const) {
    const pages = await readPages(server, `/agents/${chat.agent_id}/threads${query}`, { token })
    t.strictSame(idsOf(pages.flatMap(({ body }) => body)), rows, `page after page from ${query}`)
  }
  t.equal((await threads('GET', '?limit=201', { token })).status, 200)
  t.equal((await threads('GET', '?limit=0', { token })).status, 422)
  t.equal((await threads('GET', '?offset=-1', { token })).status, 422)
})

t.test('Threads of one second are listed newest first, and no page repeats or skips one', async (t) => {
  const { token } = await server.createUser({ username: 'bob' })
  const made: string[] = []
  const count = amount({ short: 16, long: 30 })
  for (let n = 0; n < count; n += 1) made.push(await createThread({ token }))
  const pages: string[] = []
  for (let offset = 0; offset < count; offset += 7)
    pages.push(...idsOf(await list(`?limit=7&offset=${offset}`, token)))
  t.equal(new Set(pages).size, count)
  const rows = await list('', token)
  t.strictSame(pages, idsOf(rows))
  const seconds = rows.map(({ last_active }: { last_active: number }) => last_active)
  t.strictSame(
    seconds,
    [...seconds].sort((x, y) => y - x),
  )
  t.strictSame(pages, made.reverse())
})

t.test('At most 200 threads are listed at once', async (t) => {
  const { id, token } = await server.createUser({ username: 'many' })
  const first = await createThread({ token })
  const collection = server.db.collection<{ _id: string }>('threads')
  const row = (await collection.findOne({ _id: first }))!
  await collection.insertMany(
    Array.from({ length: 240 }, (_, n) => ({
      ...row,
      _id: `thr_many${n}`,
      session_key: `many${n}`,
      user_id: id,
    })),
  )
  t.equal((await list('', token)).length, 50)
  t.equal((await list('?limit=1000', token)).length, 200)
  t.equal((await list('?limit=1000&offset=200', token)).length, 41)
})

t.test('A list shows the newest files and sources of a thread, and the history shows all', async (t) => {
  const { token } = await server.createUser({ username: 'reader' })
  const thread_id = await createThread({ token })
  const collection = server.db.collection<{ _id: string }>('threads')
  const name = async (length: number) => {
    const artifacts = Array.from({ length: 200 }, (_, n) => ({
      path: `${n}`.padStart(Math.min(length, 1024), '0'),
      filename: 'f',
      media_type: 'text/plain',
    }))
    const sources = Array.from({ length: 200 }, (_, n) => ({ id: `${n}`.padStart(length, '0'), title: 't' }))
    await collection.updateOne({ _id: thread_id }, { $set: { artifacts, sources } })
    const { body } = await threads('GET', `/${thread_id}/history`, { token })
    t.match(body, { artifacts, sources })
    const [row] = await list('', token)
    t.strictSame(row.artifacts, body.artifacts.slice(200 - row.artifacts.length))
    t.strictSame(row.sources, body.sources.slice(200 - row.sources.length))
    return [row.artifacts.length, row.sources.length]
  }
  t.strictSame(await name(100), [10, 10])
  t.strictSame(await name(1000), [1, 8], 'as many as have room')
  t.strictSame(await name(5000), [1, 1])
})

t.test('A thread can be renamed, pinned and have its own model, which its turns then use', async (t) => {
  const thread_id = await createThread()
  const patch = (body: unknown) => threads('PATCH', `/${thread_id}`, { body })
  const rowBefore = (await list()).find((row: { thread_id: string }) => row.thread_id === thread_id)
  t.match(await patch({ title: 'Trip to Rome', pinned: true }), {
    status: 200,
    body: { ...rowBefore, title: 'Trip to Rome', pinned: true },
  })
  t.match(await patch({ pinned: false }), { body: { title: 'Trip to Rome', pinned: false } })
  t.match(await patch({ model: 'demo:demo' }), { status: 200, body: { model: 'demo:demo' } })

  const socket = await chat.connect()
  const modelOf = async (fields: object) => {
    const { frames } = await socket.ask({ thread_id, text: 'hi', ...fields })
    return frames.find(({ type }) => type === 'usage')?.model
  }
  t.equal(await modelOf({}), 'demo:demo')
  t.equal(await modelOf({ model: MODEL }), MODEL, 'the model of the turn comes before that of the thread')
  await patch({ model: null })
  t.equal(await modelOf({}), MODEL)
  t.match(
    (await list()).find((row: { thread_id: string }) => row.thread_id === thread_id),
    { title: 'Trip to Rome' },
    'a title that was given is kept',
  )
})

t.test('Invalid changes are refused with the place of each fault, and change nothing', async (t) => {
  const thread_id = await createThread()
  const patch = (body: unknown) => threads('PATCH', `/${thread_id}`, { body })
  const cases: [body: unknown, path: string, rule: string][] = [
    [{}, '', 'minProperties'],
    [{ title: '' }, '/title', 'minLength'],
    [{ title: '   ' }, '/title', 'pattern'],
    [{ title: 'x'.repeat(201) }, '/title', 'maxLength'],
    [{ title: 7 }, '/title', 'type'],
    [{ pinned: 'yes' }, '/pinned', 'type'],
    [{ pinned: 1 }, '/pinned', 'type'],
    [{ model: '' }, '/model', 'minLength'],
    [{ unread: 0 }, '/unread', 'additionalProperties'],
    [{ title: 'ok', user_id: 'me' }, '/user_id', 'additionalProperties'],
    [[], '', 'type'],
  ]
  for (const [body, path, rule] of cases) {
    const reply = await patch(body)
    t.equal(reply.status, 422, JSON.stringify(body))
    t.equal(reply.body.error.code, 'VALIDATION_FAILED')
    const { issues } = reply.body.error.details
    t.ok(
      issues.some((issue: { path: string; rule: string }) => issue.path === path && issue.rule === rule),
      `${JSON.stringify(body)} -> ${JSON.stringify(issues)}`,
    )
  }
  t.match(await patch('{'), { status: 400, body: { error: { code: 'BAD_JSON' } } })
  for (const model of ['none:such', 'fake:other', 'nonsense'])
    t.match(await patch({ model }), { status: 400, body: { error: { code: 'PROVIDER_NOT_VISIBLE' } } })
  const [row] = (await list()).filter((entry: { thread_id: string }) => entry.thread_id === thread_id)
  t.match(row, { title: null, pinned: false, model: null })
})

t.test('The first message becomes the title of a thread', async (t) => {
  const socket = await chat.connect()
  const titleAfter = async (turn: object) => {
    const { thread_id } = await socket.ask(turn)
    const rows = await list()
    return rows.find((row: { thread_id: string }) => row.thread_id === thread_id).title
  }
  t.equal(await titleAfter({ text: '  Plan\n\n a   trip ' }), 'Plan a trip')
  const long = await titleAfter({ text: 'word '.repeat(30) })
  t.equal([...long].length, 40)
  t.ok(long.endsWith('…'))
  t.equal(await titleAfter({ text: '😀'.repeat(50) }), `${'😀'.repeat(39)}…`, 'no character is cut in half')
  t.equal(await titleAfter({ text: '$title' }), '$title', 'a title is text, not an expression')
  const file = { type: 'file', path: 'inbound/a.pdf', filename: 'a.pdf', media_type: 'application/pdf' }
  t.equal(await titleAfter({ content: [file, { type: 'text', text: 'read this' }] }), 'read this')
  t.equal(await titleAfter({ content: [file] }), 'a.pdf', 'a file alone lends its name')

  const { thread_id } = await socket.ask({ text: 'first' })
  await socket.ask({ thread_id, text: 'second' })
  t.match(
    (await list()).find((row: { thread_id: string }) => row.thread_id === thread_id),
    { title: 'first' },
  )
})

t.test('A session key resumes its thread on another connection', async (t) => {
  const { body } = await threads('POST', '')
  const { thread_id, session_key } = body
  const socket = await chat.connect()
  await socket.ask({ thread_id, text: 'one' })
  const other = await chat.connect()
  const turn = await other.ask({ session_key, text: 'two' })
  t.equal(turn.thread_id, thread_id)
  t.equal((await history(thread_id)).messages.length, 4)
  t.match(
    other.of(thread_id).map(({ turn_id }) => turn_id),
    Array(turn.frames.length).fill(turn.turn_id),
    'the connection is shown its own turn and none before it',
  )
  const stranger = await server.createUser({ username: 'eve' })
  const theirs = await chat.connect({ token: stranger.token })
  for (const [from, key] of [
    [other, 'ses_nothing'],
    [theirs, session_key],
  ] as const) {
    from.say({ session_key: key, text: 'three' })
    t.match(await from.next('error'), { code: 'THREAD_NOT_FOUND' })
  }
  t.equal((await list('', stranger.token)).length, 0, 'a key that is not known begins no thread')
})
