import { setTimeout as pause } from 'node:timers/promises'
import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { createHold, range, startChat } from '../../support/chat.ts'

// A paused reader answers no pings.
const chat = await startChat(t, { pingIntervalMs: 600_000 })
const { server, fake, threads, createThread } = chat

/** The number of documents of a thread, by collection. */
const remains = async (thread_id: string) => ({
  threads: await server.db.collection<{ _id: string }>('threads').countDocuments({ _id: thread_id }),
  messages: await server.db.collection('messages').countDocuments({ thread_id }),
  events: await server.db
    .collection<{ _id: string }>('events')
    .countDocuments({ _id: new RegExp(`^${thread_id}:`) }),
  client_messages: await server.db.collection('client_messages').countDocuments({ thread_id }),
  queued_turns: await server.db.collection('queued_turns').countDocuments({ thread_id }),
})
const nothing = { threads: 0, messages: 0, events: 0, client_messages: 0, queued_turns: 0 }

t.test('A thread is deleted with all that belongs to it and can be used no more', async (t) => {
  const socket = await chat.connect()
  const { thread_id, frames } = await socket.ask({ text: 'hello' })
  const kept = await socket.ask({ text: 'another' })
  t.strictSame(await remains(thread_id), {
    threads: 1,
    messages: 2,
    events: frames.length,
    client_messages: 1,
    queued_turns: 0,
  })
  t.equal((await threads('DELETE', `/${thread_id}`)).status, 204)
  t.strictSame(await remains(thread_id), nothing)
  t.match(await remains(kept.thread_id), { threads: 1, messages: 2 }, 'others are left alone')
  t.match((await threads('DELETE', `/${thread_id}`)).body.error, { code: 'THREAD_NOT_FOUND' })
  t.match((await threads('GET', `/${thread_id}/history`)).body.error, { code: 'THREAD_NOT_FOUND' })
  for (const frame of [
    { type: 'user_turn', thread_id, text: 'still there?' },
    { type: 'subscribe', thread_id },
  ]) {
    socket.send(frame)
    t.match(await socket.next('error'), { code: 'THREAD_NOT_FOUND', thread_id })
  }
  t.strictSame(await remains(thread_id), nothing)
})

t.test('Deleting a thread ends the turn that runs in it and those that wait', async (t) => {
  const socket = await chat.connect()
  const thread_id = await createThread()
  const next = fake.requests.length
  fake.next({ text: ['a', 'b'], ...createHold(), holdAfter: 1 })
  const running = socket.say({ thread_id, text: 'one' })
  const waiting = socket.say({ thread_id, text: 'two' })
  await socket.until(({ type }) => type === 'content')
  await socket.until(({ type }) => type === 'turn_queued')
  t.equal((await threads('DELETE', `/${thread_id}`)).status, 204)
  await (await fake.request(next)).aborted
  t.match((await socket.seeTurn(running)).end, { type: 'done', stop_reason: 'stopped' })
  const refusal = await socket.until((frame) => frame.client_message_id === waiting && frame.type === 'error')
  t.match(refusal, { code: 'THREAD_NOT_FOUND', thread_id })
  t.strictSame(await remains(thread_id), nothing)
  t.equal(fake.requests.length, next + 1, 'the waiting turn never reached the upstream')
})

/** Each round interrupts the turn a little later, through eight steps; the long tier repeats them. */
const ROUNDS = amount({ short: 8, long: 200 })

t.test('Deleting threads at the moment when turns begin in them leaves nothing behind', async (t) => {
  const socket = await chat.connect()
  const made: { thread_id: string; sent: string }[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const thread_id = await createThread()
    const sent = socket.say({ thread_id, text: 'begin '.repeat(20) })
    made.push({ thread_id, sent })
    // Each round interrupts the turn a little later.
    for (let n = 0; n < round % 8; n += 1) await new Promise(setImmediate)
    t.equal((await threads('DELETE', `/${thread_id}`)).status, 204)
  }
  for (const { sent } of made) await socket.until(({ client_message_id }) => client_message_id === sent)
  // Whatever still ran has ended by the time the server has stopped.
  await server.restart()
  for (const { thread_id } of made) t.strictSame(await remains(thread_id), nothing)
})

t.test('A slow reader of a deleted thread stays connected', { skip: onlyLong }, async (t) => {
  const [writer, reader] = [await chat.connect(), await chat.connect()]
  const thread_id = await createThread()
  for (const _ of range(1, 14)) {
    fake.next({ text: Array.from({ length: 128 }, () => 'x'.repeat(8000)) })
    await writer.ask({ thread_id, text: 'more' })
  }
  // It stops reading only now, because a connection that reads nothing for ten seconds is closed.
  await reader.subscribe(thread_id, 0)
  reader.webSocket.pause()
  t.equal((await threads('DELETE', `/${thread_id}`)).status, 204)
  reader.webSocket.resume()
  await reader.settle()
  const queries = async () => (await server.db.command({ serverStatus: 1 })).opcounters.query as number
  const queryCount = await queries()
  for (let n = 0; n < 30; n += 1) await reader.settle()
  t.ok((await queries()) - queryCount < 20, 'nobody goes on asking for events that are gone')
  t.ok(reader.of(thread_id).length < writer.of(thread_id).length)
})

t.test('A deletion interrupted by a crash is finished by the next start', async (t) => {
  const socket = await chat.connect()
  const { thread_id } = await socket.ask({ text: 'hello' })
  const collection = server.db.collection<{ _id: string }>('threads')
  await collection.updateOne({ _id: thread_id }, { $set: { deleted_at: 1 } })
  t.match((await threads('GET', `/${thread_id}/history`)).status, 404)
  await server.restart()
  while ((await remains(thread_id)).threads > 0) await pause(10)
  t.strictSame(await remains(thread_id), nothing)
})

t.test('Deleting an agent or a user deletes their threads, the running ones too', async (t) => {
  const ann = await server.createUser({ username: 'ann' })
  const { body: agent } = await server.request('POST', '/agents', {
    token: ann.token,
    body: { name: 'mine' },
  })
  const socket = await chat.connect({ token: ann.token, agent_id: agent.id })
  const settled = await socket.ask({ text: 'hello' })
  const { hold } = createHold()
  fake.next({ text: ['a', 'b'], hold, holdAfter: 1 })
  socket.say({ text: 'and again' })
  const running = await socket.until(({ type, content }) => type === 'content' && content === 'a')
  t.equal((await server.request('DELETE', `/agents/${agent.id}`, { token: ann.token })).status, 204)
  for (const thread_id of [settled.thread_id, running.thread_id])
    t.strictSame(await remains(thread_id), nothing)

  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { is_shared: true } })
  const other = await chat.connect({ token: ann.token })
  const { thread_id } = await other.ask({ text: 'hello' })
  const mine = await (await chat.connect()).ask({ text: 'hello' })
  await server.server.runtime.extensions['users.removal'].ask({ user_id: ann.id, username: ann.username })
  t.strictSame(await remains(thread_id), nothing)
  t.match(await remains(mine.thread_id), { threads: 1, messages: 2 })
})
