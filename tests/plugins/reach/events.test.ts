import t from '../../run/file-test.ts'
import { createHold } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import type { TestFrame } from '../../support/socket.ts'
import { type EventReader, readEvents } from '../../support/sse.ts'
import { approve, punch, startPress } from '../conversations/approval-calls.ts'

const KEEP_SECONDS = 300
const MAX_EVENTS = 1000
const MAX_STREAMS = 16

const clock = createTestClock()
const chat = await startPress(t, { clock, config: { limits: { event_streams: MAX_STREAMS } } })
const { server, agent_id, fake } = chat
const { events } = server.server.runtime

type Options = { token?: string; after?: string }

/** Opens the stream of an account, and waits until it has begun. */
const open = async ({ token = server.admin.token, after }: Options = {}): Promise<EventReader> => {
  const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after }
  const reader = await readEvents(t, `${server.url}/api/events`, { token, headers })
  if (reader.status === 200 && after === undefined) await reader.until(({ type }) => type === 'reset')
  return reader
}
const tell = (reader: EventReader, type: string, fields: object = {}) =>
  reader.until(
    (event) => event.type === type && Object.entries(fields).every(([name, value]) => event[name] === value),
  )
const lastId = ({ events }: EventReader) => events.findLast(({ id }) => id !== undefined)!.id!
const names = ({ events }: EventReader) => events.map(({ event }) => event)

/** Has a fact told to the account that comes after everything before. */
const mark = async (reader: EventReader, user_id: string) => {
  const thread_id = `mark-${Math.random()}`
  await events.emit('thread.deleted', { thread_id, agent_id, user_id })
  return tell(reader, 'thread.deleted', { thread_id })
}

t.test('a stream tells what changes in the threads of the account', async (t) => {
  const reader = await open()
  t.match(reader.headers.get('content-type'), /^text\/event-stream/)
  const { thread_id } = (await server.request('POST', `/agents/${agent_id}/threads`, { body: {} })).body
  t.hasStrict(await tell(reader, 'thread.changed', { thread_id }), {
    agent_id,
    title: null,
    pinned: false,
    archived: false,
    unread: 0,
    turn_active: false,
  })
  await server.request('PATCH', `/agents/${agent_id}/threads/${thread_id}`, {
    body: { title: 'Numbers', pinned: true },
  })
  t.ok(await tell(reader, 'thread.changed', { thread_id, title: 'Numbers', pinned: true }))
  for (const archived of [true, false]) {
    await server.request('PATCH', `/agents/${agent_id}/threads/${thread_id}`, { body: { archived } })
    t.ok(await tell(reader, 'thread.changed', { thread_id, archived }))
  }
  const socket = await chat.connect()
  const sent = socket.say({ thread_id, text: 'hello' })
  t.ok(await tell(reader, 'thread.changed', { thread_id, turn_active: true }))
  await socket.seeTurn(sent)
  t.ok(await tell(reader, 'usage.changed'))
  t.ok(await reader.until(isEnd(thread_id, reader)), 'the turn has ended')
  await server.request('DELETE', `/agents/${agent_id}/threads/${thread_id}`)
  t.ok(await tell(reader, 'thread.deleted', { thread_id, agent_id }))
  for (const { event, data } of reader.events) t.equal(event, data.type)
})

/** Accepts the news of a thread without a turn that come after the news of its turn. */
const isEnd = (thread_id: string, { events }: EventReader) => {
  const began = events.findIndex(({ data }) => data.thread_id === thread_id && data.turn_active === true)
  return (event: TestFrame) =>
    event.thread_id === thread_id &&
    event.turn_active === false &&
    events.findIndex(({ data }) => data === event) > began
}

t.test('replies are unread until they are read', async (t) => {
  const reader = await open()
  const thread_id = await chat.createThread()
  const { hold, release } = createHold()
  fake.next({ text: 'Later.', hold })
  const socket = await chat.connect()
  socket.say({ thread_id, text: 'hello' })
  await tell(reader, 'thread.changed', { thread_id, turn_active: true })
  socket.webSocket.close()
  await socket.closed
  release()
  t.ok(await tell(reader, 'thread.changed', { thread_id, turn_active: false, unread: 1 }))
  await server.request('POST', `/agents/${agent_id}/read`)
  t.ok(
    await reader.until(
      (event) => event.thread_id === thread_id && event.unread === 0 && event.title !== null,
    ),
  )
})

t.test('connectors are announced to those who can use them', async (t) => {
  const reader = await open()
  const { id: user_id, token } = await server.createUser({ username: 'grace' })
  const other = await open({ token })
  const make = (name: string, scope: string) => {
    const config = { url: 'https://tracker.example/mcp' }
    return server.request('POST', '/connectors', { body: { name, scope, kind: 'mcp', config } })
  }
  const { id: connector_id } = (await make('own', 'user')).body
  t.ok(await tell(reader, 'connector.changed', { connector_id }))
  const { id: global_id } = (await make('all', 'global')).body
  t.ok(await tell(reader, 'connector.changed', { connector_id: global_id }))
  t.ok(await tell(other, 'connector.changed', { connector_id: global_id }))
  await server.request('DELETE', `/connectors/${connector_id}`)
  await mark(other, user_id)
  t.notOk(other.events.some(({ data }) => data.connector_id === connector_id))
})

t.test('approvals are announced, and those that wait begin a stream', async (t) => {
  const reader = await open()
  const { thread_id, pending, sent, socket } = await chat.pauseTurn([
    { text: 'I punch.', toolCalls: [punch('call_a', 'told')] },
  ])
  const { pending_id, expires_at } = pending
  const waiting = { type: 'approval.pending', thread_id, agent_id, pending_id, expires_at }
  t.strictSame(await tell(reader, 'approval.pending', { pending_id }), waiting)
  const later = await open()
  t.strictSame(await tell(later, 'approval.pending'), waiting)
  t.strictSame(names(later).slice(0, 2), ['reset', 'approval.pending'])
  fake.next({ text: 'Done.' })
  await chat.decide(thread_id, [approve])
  await socket.seeTurn(sent)
  const resolved = { type: 'approval.resolved', thread_id, agent_id, pending_id, outcome: 'decided' }
  t.strictSame(await tell(reader, 'approval.resolved'), resolved)
  t.strictSame(await tell(later, 'approval.resolved'), resolved)
})

t.test('an account hears of what it may see, and of nothing else', async (t) => {
  const [ada, bob] = [
    await server.createUser({ username: 'ada', permissions: ['channels'] }),
    await server.createUser({ username: 'bob' }),
  ]
  const [hers, his] = [await open(ada), await open(bob)]
  const own = { token: ada.token }
  const made = await server.request('POST', '/agents', { ...own, body: { name: 'analyst' } })
  const { id } = made.body
  t.match(await tell(hers, 'agent.changed', { agent_id: id, state: 'running' }), { name: 'analyst' })
  const channel = await server.request('POST', `/agents/${id}/channels`, {
    ...own,
    body: { kind: 'webhook', name: 'hook', enabled: false },
  })
  t.equal(channel.status, 201)
  const channel_id = channel.body.id
  t.ok(await tell(hers, 'channel.changed', { agent_id: id, channel_id }))
  await server.request('POST', `/agents/${id}/threads`, { ...own, body: {} })
  await tell(hers, 'thread.changed')
  await mark(his, bob.id)
  t.strictSame(names(his), ['reset', 'thread.deleted'], 'a private agent is nobody else’s')

  await server.request('PATCH', `/agents/${id}`, { ...own, body: { is_shared: true } })
  t.ok(await tell(his, 'agent.changed', { agent_id: id }))
  await server.request('DELETE', `/agents/${id}/channels/${channel_id}`, own)
  await server.request('PATCH', `/agents/${id}`, { ...own, body: { is_shared: false } })
  t.ok(await tell(his, 'agent.deleted', { agent_id: id }))
  t.notOk(names(his).includes('channel.changed'))
  await mark(hers, ada.id)
  t.notOk(names(hers).includes('agent.deleted'), 'its owner still has it')
  await server.request('DELETE', `/agents/${id}`, own)
  t.ok(await tell(hers, 'agent.deleted', { agent_id: id }))
  const earlierCount = his.events.length
  await mark(his, bob.id)
  t.equal(his.events.length, earlierCount + 1)
})

t.test('a stream continues after the last event that was seen', async (t) => {
  const eve = await server.createUser({ username: 'eve' })
  const emit = (thread_id: string) => events.emit('thread.deleted', { thread_id, agent_id, user_id: eve.id })
  const first = await open(eve)
  await emit('one')
  await tell(first, 'thread.deleted', { thread_id: 'one' })
  const after = lastId(first)
  first.leave()
  await emit('two')
  await emit('three')
  const second = await open({ ...eve, after })
  await tell(second, 'thread.deleted', { thread_id: 'three' })
  t.strictSame(
    second.events.map(({ data }) => data.thread_id),
    ['two', 'three'],
  )
  const third = await open({ ...eve, after: lastId(second) })
  await emit('four')
  await tell(third, 'thread.deleted', { thread_id: 'four' })
  t.equal(third.events.length, 1)

  for (const unknown of ['', 'x', `${after.split('-')[0]}-999999`, 'other-1']) {
    const fresh = await open({ ...eve, after: unknown })
    await tell(fresh, 'reset')
    t.equal(fresh.events.length, 1, unknown)
    fresh.leave()
  }
  clock.advance(KEEP_SECONDS + 1)
  const late = await open({ ...eve, after })
  await tell(late, 'reset')
  t.same(names(late), ['reset'], 'after five minutes')
})

t.test('a reader that has missed too many events begins again', async (t) => {
  const mia = await server.createUser({ username: 'mia' })
  const first = await open(mia)
  const after = lastId(first)
  // In two parts, so that the first reader itself misses nothing.
  for (const [from, to] of [
    [0, MAX_EVENTS / 2],
    [MAX_EVENTS / 2, MAX_EVENTS + 1],
  ] as const) {
    for (let count = from; count < to; count += 1)
      void events.emit('thread.deleted', { thread_id: String(count), agent_id, user_id: mia.id })
    await tell(first, 'thread.deleted', { thread_id: String(to - 1) })
  }
  const second = await open({ ...mia, after })
  await tell(second, 'reset')
  t.same(names(second), ['reset'])
})

t.test('a stream ends with its session, and with its account', async (t) => {
  const joe = await server.createUser({ username: 'joe' })
  const reader = await open(joe)
  await server.request('POST', '/auth/logout', { token: joe.token })
  await reader.rest()
  const again = await open({ token: await server.login('joe', joe.password) })
  await server.request('PATCH', '/users/joe', { body: { enabled: false } })
  await again.rest()
  await server.request('PATCH', '/users/joe', { body: { enabled: true } })
  const last = await open({ token: await server.login('joe', joe.password) })
  await server.request('DELETE', '/users/joe')
  await last.rest()
  t.equal((await open(joe)).status, 401)
})

t.test('an account has a limited number of streams', async (t) => {
  const sue = await server.createUser({ username: 'sue' })
  for (let count = 0; count < MAX_STREAMS; count += 1) await open(sue)
  const refused = await open(sue)
  t.match(refused, {
    status: 409,
    body: { error: { code: 'LIMIT_REACHED', details: { limit: 'event_streams' } } },
  })
  t.equal((await open(await server.createUser({ username: 'sam' }))).status, 200, 'others have their own')
})
