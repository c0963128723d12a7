import { setTimeout as pause } from 'node:timers/promises'
import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { startChat } from '../../support/chat.ts'

const chat = await startChat(t)
const { server, fake, threads, createThread, history } = chat

const unreadOf = async (thread_id: string, token?: string): Promise<number> => {
  const { body } = await threads('GET', '?limit=200', { token })
  return body.find((row: { thread_id: string }) => row.thread_id === thread_id).unread
}
const unreadOfAgent = async (token?: string): Promise<number> => {
  const { body } = await server.request('GET', '/agents', { token })
  return body.find(({ id }: { id: string }) => id === chat.agent_id).unread_count
}
/** Waits for the end of a turn that nobody may be watching. */
const turnEnds = async (thread_id: string) => {
  while ((await history(thread_id)).turn_active) await pause(10)
}

t.test('A reply is unread only when none of the connections of its user reads the thread', async (t) => {
  const thread_id = await createThread()
  const [speaker, reader] = [await chat.connect(), await chat.connect()]
  await speaker.ask({ thread_id, text: 'seen' })
  t.equal(await unreadOf(thread_id), 0)

  const gone = await chat.connect()
  let release = () => {}
  const next = fake.requests.length
  fake.next({
    text: ['a', 'b'],
    hold: new Promise<void>((resolve) => {
      release = resolve
    }),
    holdAfter: 1,
  })
  gone.say({ thread_id, text: 'bye' })
  await fake.request(next)
  for (const socket of [gone, speaker]) {
    socket.close()
    await socket.closed
  }
  release()
  await turnEnds(thread_id)
  t.equal(await unreadOf(thread_id), 1)
  t.equal(await unreadOfAgent(), 1)

  await reader.subscribe(thread_id)
  const writer = await chat.connect()
  await writer.ask({ thread_id, text: 'again' })
  t.equal(await unreadOf(thread_id), 1, 'reading the thread by subscription counts')
  t.equal((await threads('POST', `/${thread_id}/read`)).status, 204)
  t.equal(await unreadOf(thread_id), 0)
  t.equal(await unreadOfAgent(), 0)
})

t.test('A client that leaves right after its message does not count as a reader', async (t) => {
  const made = await Promise.all(Array.from({ length: amount({ short: 4, long: 12 }) }, () => createThread()))
  for (const [n, thread_id] of made.entries()) {
    const socket = await chat.connect()
    socket.say({ thread_id, text: 'you will find me gone' })
    if (n % 2) socket.send({ type: 'subscribe', thread_id })
    socket.close()
    await socket.closed
  }
  for (const thread_id of made) {
    while ((await history(thread_id)).messages.length < 2) await pause(10)
    await turnEnds(thread_id)
  }
  const watcher = await chat.connect()
  t.strictSame(
    await Promise.all(made.map((thread_id) => unreadOf(thread_id))),
    made.map(() => 1),
  )
  await server.request('POST', `/agents/${chat.agent_id}/read`)
  t.equal(await unreadOfAgent(), 0, 'reading the agent reads all of its threads')
  await watcher.settle()
})

t.test('A failed turn leaves nothing unread', async (t) => {
  const thread_id = await createThread()
  const socket = await chat.connect()
  const next = fake.requests.length
  fake.next({ status: 401 })
  socket.say({ thread_id, text: 'fail' })
  await fake.request(next)
  socket.webSocket.terminate()
  await turnEnds(thread_id)
  t.equal(await unreadOf(thread_id), 0)
})

t.test('Threads of a shared agent are private to their users', async (t) => {
  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { is_shared: true } })
  const ann = await server.createUser({ username: 'ann' })
  const bob = await server.createUser({ username: 'bob' })
  const [hers, his] = [await chat.connect({ token: ann.token }), await chat.connect({ token: bob.token })]
  const { thread_id } = await hers.ask({ text: 'a secret of mine' })
  t.match((await threads('GET', '', { token: ann.token })).body, [{ thread_id }])
  t.strictSame((await threads('GET', '', { token: bob.token })).body, [])

  const others = [bob.token, server.admin.token]
  for (const token of others) {
    for (const [method, path, body] of [
      ['GET', '/history'],
      ['PATCH', '', { title: 'mine' }],
      ['POST', '/read'],
      ['DELETE', ''],
    ] as const) {
      const reply = await threads(method, `/${thread_id}${path}`, { token, body })
      t.match(reply, { status: 404, body: { error: { code: 'THREAD_NOT_FOUND' } } }, `${method} ${path}`)
    }
  }
  for (const frame of [
    { type: 'user_turn', thread_id, text: 'let me in' },
    { type: 'subscribe', thread_id },
    { type: 'subscribe', thread_id, after_seq: 0 },
    { type: 'stop', thread_id },
  ]) {
    his.send(frame)
    t.match(await his.next('error'), { code: 'THREAD_NOT_FOUND', thread_id }, frame.type)
  }
  await hers.ask({ thread_id, text: 'more' })
  await his.settle()
  t.strictSame(his.of(thread_id), [], 'no frame of hers reached him')
  t.equal((await history(thread_id, '', { token: ann.token })).messages.length, 4)
  t.match((await threads('GET', '', { token: ann.token })).body, [{ title: 'a secret of mine' }])
})

t.test('A thread is found only below its own agent', async (t) => {
  const { body: other } = await server.request('POST', '/agents', { body: { name: 'other' } })
  const thread_id = await createThread()
  const below = (method: string, path: string, body?: object) =>
    server.request(method, `/agents/${other.id}/threads/${thread_id}${path}`, { body })
  for (const reply of [
    await below('GET', '/history'),
    await below('PATCH', '', { pinned: true }),
    await below('POST', '/read'),
    await below('DELETE', ''),
  ])
    t.match(reply, { status: 404, body: { error: { code: 'THREAD_NOT_FOUND' } } })
  const socket = await chat.connect({ agent_id: other.id })
  for (const type of ['subscribe', 'stop']) {
    socket.send({ type, thread_id })
    t.match(await socket.next('error'), { code: 'THREAD_NOT_FOUND' })
  }
  socket.say({ thread_id, text: 'hi' })
  t.match(await socket.next('error'), { code: 'THREAD_NOT_FOUND' })
  t.match(await history(thread_id), { messages: [] })
})
