import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { createHold, range, startChat, textOf } from '../../support/chat.ts'

const chat = await startChat(t)
const { fake, createThread, history, server, threads } = chat

let ids = 0
const newId = () => `once-${ids++}`
const listed = async () => (await threads('GET', '?limit=200')).body.length as number

t.test('A message sent twice on one connection starts one turn', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const client_message_id = newId()
  const requestCount = fake.requests.length
  const turn = { thread_id, client_message_id, text: 'only once' }
  socket.say(turn)
  socket.say(turn)
  const seen = await socket.seeTurn(client_message_id)
  socket.say(turn)
  const next = await socket.ask({ thread_id, text: 'another' })
  t.equal(next.frames[0]!.seq, seen.end.seq + 1)
  t.equal(fake.requests.length, requestCount + 2)
  t.strictSame(
    socket.of(thread_id).map(({ seq }) => seq),
    range(1, next.end.seq),
    'no frame was sent twice',
  )
  t.equal((await history(thread_id)).messages.length, 4)
})

t.test('A message sent again on another connection shows its turn from the beginning', async (t) => {
  const [one, other, late] = [await chat.connect(), await chat.connect(), await chat.connect()]
  const thread_id = await createThread()
  await one.ask({ thread_id, text: 'before' })
  const client_message_id = newId()
  const { hold, release } = createHold()
  const requestCount = fake.requests.length
  fake.next({ text: ['a', 'b'], hold, holdAfter: 1 })
  one.say({ thread_id, client_message_id, text: 'go' })
  await one.until(({ content }) => content === 'a')
  other.say({ thread_id, client_message_id, text: 'go' })
  await other.until(({ content }) => content === 'a')
  release()
  const turn = await one.seeTurn(client_message_id)
  t.strictSame((await other.seeTurn(client_message_id)).frames, turn.frames)
  t.equal(other.of(thread_id).length, turn.frames.length, 'and nothing of the turns before')

  late.say({ thread_id, client_message_id, text: 'go' })
  t.strictSame((await late.seeTurn(client_message_id)).frames, turn.frames, 'also when it has long ended')
  t.equal(fake.requests.length, requestCount + 1)
  t.equal((await history(thread_id)).messages.length, 4)
})

t.test('A message without a thread creates one thread, however often it is sent', async (t) => {
  const client_message_id = newId()
  const threadCount = await listed()
  const [one, other] = [await chat.connect(), await chat.connect()]
  const turn = await one.ask({ client_message_id, text: 'hello' })
  t.strictSame(await other.ask({ client_message_id, text: 'hello' }), turn)
  t.equal(await listed(), threadCount + 1)
})

t.test(
  'Many connections that send one message at the same moment start one turn and all see it',
  async (t) => {
    const sockets = await Promise.all(range(1, amount({ short: 4, long: 8 })).map(() => chat.connect()))
    for (const withThread of [true, false, true, false].slice(0, amount({ short: 2, long: 4 }))) {
      const thread_id = withThread ? await createThread() : undefined
      const client_message_id = newId()
      const [requests, rows] = [fake.requests.length, await listed()]
      for (const socket of sockets) socket.say({ thread_id, client_message_id, text: 'one two three four' })
      const [first, ...others] = await Promise.all(sockets.map((socket) => socket.seeTurn(client_message_id)))
      for (const other of others) t.strictSame(other, first)
      for (const socket of sockets)
        t.strictSame(
          socket.of(first!.thread_id).map(({ seq }) => seq),
          range(1, first!.end.seq),
        )
      await Promise.all(sockets.map((socket) => socket.settle()))
      t.equal(fake.requests.length, requests + 1)
      while ((await listed()) > rows + (withThread ? 0 : 1)) await pause(10)
      t.match((await history(first!.thread_id)).messages, { length: 2 })
    }
    await eventually(
      'no empty thread is left',
      async () =>
        (await server.db.collection('threads').countDocuments({ last_seq: 0, active_turn: null })) === 0,
    )
  },
)

t.test('Two connections that race for a thread start one turn for each message', async (t) => {
  const [one, other] = [await chat.connect(), await chat.connect()]
  const thread_id = await createThread()
  const sent = range(1, 4).map(() => newId())
  for (const client_message_id of sent) {
    one.say({ thread_id, client_message_id, text: 'x' })
    other.say({ thread_id, client_message_id, text: 'x' })
  }
  await Promise.all(sent.map((id) => one.seeTurn(id)))
  await Promise.all(sent.map((id) => other.seeTurn(id)))
  const { messages, last_seq } = await history(thread_id)
  t.equal(messages.length, 8)
  for (const socket of [one, other])
    t.strictSame(
      socket.of(thread_id).map(({ seq }) => seq),
      range(1, last_seq),
    )
})

t.test('The same id from another user, or with another agent, is another message', async (t) => {
  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { is_shared: true } })
  const { token } = await server.createUser({ username: 'ann' })
  const { body: agent } = await server.request('POST', '/agents', { body: { name: 'second' } })
  const client_message_id = newId()
  const sockets = [
    await chat.connect(),
    await chat.connect({ token }),
    await chat.connect({ agent_id: agent.id }),
  ]
  const turns = await Promise.all(sockets.map((socket) => socket.ask({ client_message_id, text: 'hi' })))
  t.equal(new Set(turns.map(({ thread_id }) => thread_id)).size, 3)
})

t.test('A message is recognized after a restart, and forgotten with its thread', async (t) => {
  const client_message_id = newId()
  const turn = await (await chat.connect()).ask({ client_message_id, text: 'remember me' })
  await server.restart()
  const requestCount = fake.requests.length
  const again = await chat.connect()
  t.strictSame(await again.ask({ client_message_id, text: 'remember me' }), turn)
  t.equal(fake.requests.length, requestCount)
  t.equal((await threads('DELETE', `/${turn.thread_id}`)).status, 204)
  const anew = await (await chat.connect()).ask({ client_message_id, text: 'remember me' })
  t.notSame(anew.thread_id, turn.thread_id)
  t.equal(textOf(anew.frames), 'remember me')
})

t.test('A message whose turn was refused can be sent again', async (t) => {
  const client_message_id = newId()
  const socket = await chat.connect()
  await server.request('POST', `/agents/${chat.agent_id}/stop`)
  socket.say({ client_message_id, text: 'hello' })
  t.match(await socket.next('error'), { code: 'AGENT_NOT_RUNNING', client_message_id })
  await server.request('POST', `/agents/${chat.agent_id}/start`)
  socket.say({ client_message_id, text: 'hello' })
  t.match(await socket.next('turn_started'), { client_message_id })
  await socket.next('done')
})
