import t from '../../run/file-test.ts'
import { type ChatSocket, createHold, range, startChat, textOf } from '../../support/chat.ts'

const chat = await startChat(t)
const { fake, server, createThread, history } = chat

/** Sends turns until one is refused because the server takes no more; returns the refusal. */
async function awaitRefusal(socket: ChatSocket) {
  for (;;) {
    const sent = socket.say({ text: 'is it open?' })
    const first = await socket.until(({ client_message_id }) => client_message_id === sent)
    if (first.type === 'error') return first
    await socket.seeTurn(sent)
  }
}

t.test('A server that stops lets running turns finish and takes no new ones', async (t) => {
  const [socket, reader] = [await chat.connect(), await chat.connect()]
  const thread_id = await createThread()
  await reader.subscribe(thread_id)
  const { hold, release } = createHold()
  fake.next({ text: ['first ', 'second'], hold, holdAfter: 1 })
  const sent = socket.say({ thread_id, text: 'go' })
  await reader.until(({ content }) => content === 'first ')
  const waiting = socket.say({ thread_id, text: 'behind it' })
  await socket.settle()

  const stopped = server.stop()
  t.match(await awaitRefusal(socket), { code: 'SHUTTING_DOWN', message: String, request_id: String })
  t.match(await server.request('GET', '/agents'), { status: 503, body: { error: { code: 'SHUTTING_DOWN' } } })
  const refusal = await chat.connect().catch((error) => error)
  t.match(refusal, { status: 503, body: { error: { code: 'SHUTTING_DOWN' } } })
  release()
  for (const connection of [socket, reader]) {
    t.match(await connection.closed, { code: 1001 })
    const { frames, end } = await connection.seeTurn(sent)
    t.equal(textOf(frames), 'first second')
    t.match(end, { type: 'done', stop_reason: 'end' })
  }
  t.notOk(socket.of(thread_id).some(({ client_message_id }) => client_message_id === waiting))
  await stopped

  await server.restart()
  const again = await chat.connect()
  await again.subscribe(thread_id, 0)
  t.equal(textOf((await again.seeTurn(waiting)).frames), 'behind it', 'what waited runs after the next start')
  t.match(await history(thread_id), {
    turn_active: false,
    queued: [],
    messages: [
      { role: 'user' },
      { status: 'complete', content: [{ text: 'first second' }] },
      { role: 'user' },
      { status: 'complete', content: [{ text: 'behind it' }] },
    ],
  })
})

t.test('Turns that do not finish in time are stored as interrupted before the server ends', async (t) => {
  const socket = await chat.connect()
  const made = await Promise.all(range(1, 3).map(() => createThread()))
  const { hold } = createHold()
  const requestCount = fake.requests.length
  fake.next(
    { text: ['so ', 'far', ' never'], hold, holdAfter: 2 },
    { reasoning: ['thinking', 'never'], hold, holdAfter: 1 },
    { text: ['never'], hold },
  )
  const sent = []
  for (const [n, thread_id] of made.entries()) {
    sent.push(socket.say({ thread_id, text: 'go' }))
    await fake.request(requestCount + n)
  }
  await socket.until(({ content }) => content?.endsWith('far'))
  await socket.until(({ type }) => type === 'reasoning')
  await server.stop()
  t.match(await socket.closed, { code: 1001 })
  for (const request of fake.requests.slice(requestCount)) await request.aborted
  const turns = await Promise.all(sent.map((id) => socket.seeTurn(id)))
  for (const { end } of turns) t.match(end, { type: 'error', code: 'TURN_INTERRUPTED', message: String })

  await server.restart()
  const shown = [[{ text: 'so far' }], [{ thinking: 'thinking' }], []]
  for (const [n, { thread_id, frames }] of turns.entries()) {
    const page = await history(thread_id)
    t.match(page, {
      turn_active: false,
      messages: [{ role: 'user' }, { status: 'failed', content: shown[n] }],
    })
    const reader = await chat.connect()
    await reader.subscribe(thread_id, 0)
    await reader.until(({ type }) => type === 'error')
    t.strictSame(reader.of(thread_id), frames)
    t.match((await reader.ask({ thread_id, text: 'and now' })).end, { type: 'done', stop_reason: 'end' })
  }
})

t.test('A server without turns stops at once and notifies its connections', async (t) => {
  const sockets = await Promise.all(range(1, 5).map(() => chat.connect()))
  await sockets[0]!.ask({ text: 'hello' })
  await server.stop()
  for (const { closed } of sockets) t.match(await closed, { code: 1001 })
})
