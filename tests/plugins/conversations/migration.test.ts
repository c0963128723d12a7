import { setTimeout as pause } from 'node:timers/promises'
import type { AgentDocument } from '../../../plugins/agents/agents/types.ts'
import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { createHold, startChat, textOf } from '../../support/chat.ts'
import { seedThread } from '../../support/chat-seed.ts'
import { spawnService } from '../../support/service-process.ts'
import { createMigrationCalls } from './migration-calls.ts'

const chat = await startChat(t)
const { fake, createThread, history, server, agent_id } = chat
const calls = createMigrationCalls(chat)
const { age, copy, look, row, start, status, statusUntil, untilDone, threads, messages, events } = calls

const NOTHING = { remaining: 0, pending: 0, queued: 0, running: 0, failed: 0 }
const READY = { history_status: 'ready', history_loading: false, history_retry_after_ms: null }
const isDone = ({ remaining, processing }: { remaining: number; processing: boolean }) =>
  remaining === 0 && !processing

const varied = await calls.carryOn()
const long = await seedThread(chat, 50)

/** The number of turns of a thread that is observed while it is rebuilt. */
const LARGE = amount({ short: 300, long: 1200 })
/** The number of turns of a thread on which a turn begins and ends while it is rebuilt. */
const LARGER = amount({ short: 600, long: 1200 })
/** The number of threads that are being rebuilt when a server is killed or stopped. */
const MANY = amount({ short: 8, long: 80 })
/** The number of small threads that are rebuilt after a large one. */
const SMALL = amount({ short: 8, long: 20 })

t.test('New threads need no migration', async (t) => {
  t.match(await history(varied), READY)
  t.strictSame(await status(), { ...NOTHING, processing: false, agent_busy: false, can_start: false })
  t.match(await start(), { status: 200, body: { accepted: 0, ...NOTHING } })
})

t.test('Threads of an older projection are rebuilt with the current one', async (t) => {
  const historiesBefore = await Promise.all([varied, long].map((id) => history(id, '?limit=200')))
  const rows = await Promise.all([varied, long].map(row))
  t.match(historiesBefore[0].messages, [
    { role: 'user' },
    { role: 'assistant', content: [{}, {}, { type: 'tool_use', input: { path: 'b.txt' } }] },
    { role: 'tool', artifacts: [{ path: 'b.txt' }] },
    { role: 'assistant' },
    { role: 'user' },
    { role: 'assistant', content: [{ id: 'call_a' }, { id: 'call_b' }] },
    { role: 'tool' },
    { role: 'tool' },
    { role: 'assistant' },
    { role: 'user' },
    { role: 'assistant', status: 'failed' },
    { role: 'user' },
    { role: 'assistant', status: 'stopped', content: [{ text: 'cut ' }] },
  ])
  // Two calls run at the same time, so either file may be the newest.
  t.strictSame(rows[0].artifacts.map(({ path }: { path: string }) => path).sort(), ['b.txt', 'c.txt'])

  await age([varied, long])
  const [first, second] = await messages().find({ thread_id: varied }).sort({ position: 1 }).toArray()
  await messages().deleteOne({ _id: first!._id })
  await messages().updateOne({ _id: second!._id }, { $set: { content: [], position: 1 } })
  await messages().insertOne({ ...second!, _id: 'msg_stray', position: 3 })
  await threads().updateOne({ _id: varied }, { $set: { title: null, artifacts: [], last_active: 7 } })
  t.match(await history(varied), { ...READY, history_status: 'pending' })
  t.match(await history(long, '?limit=200'), {
    messages: historiesBefore[1].messages,
    history_status: 'pending',
  })
  t.match(await status(), { ...NOTHING, remaining: 2, pending: 2, can_start: true })

  t.match(await start(), { status: 200, body: { accepted: 2, remaining: 2, pending: 0, failed: 0 } })
  await untilDone()
  t.strictSame(await Promise.all([varied, long].map((id) => history(id, '?limit=200'))), historiesBefore)
  t.strictSame(await Promise.all([varied, long].map(row)), rows)
  const stored = await threads().findOne({ _id: varied })
  t.match(stored, { projection_version: 10 })
  t.notOk('migration' in stored!)
  t.match(await start(), { body: { accepted: 0 } })
})

t.test('Threads of one agent are rebuilt one at a time, while its turns run', async (t) => {
  const made = await copy(long, SMALL)
  await age(made)
  const large = await seedThread(chat, LARGER)
  await age([large])
  const { last_seq } = await history(large)
  // The large thread comes first, so that a turn can begin and end on it meanwhile.
  await threads().updateOne(
    { _id: large },
    { $set: { migration: { status: 'queued', queued_at: 0, attempts: 0 } } },
  )
  t.match(await history(large), {
    history_status: 'queued',
    history_loading: true,
    history_retry_after_ms: Number,
  })
  const socket = await chat.connect()
  t.match(await start(), { body: { accepted: SMALL, remaining: SMALL + 1, pending: 0 } })
  const seen = await statusUntil(({ running }) => running === 1)
  t.match(await history(large), {
    history_status: 'running',
    history_loading: true,
    history_retry_after_ms: Number,
  })
  const file = { name: 'write_file', arguments: { path: 'meanwhile.txt', content: 'x' } }
  fake.next({ text: 'a summary of it' }, { text: 'here', toolCalls: [file] }, { text: 'and there' })
  const turn = await socket.ask({ thread_id: large, text: 'are you there?' })
  t.equal(textOf(turn.frames), 'hereand there')
  t.equal(turn.frames[0]!.seq, last_seq + 1)
  t.match(await history(large), { history_status: 'running' }, 'it was not rebuilt yet')
  const other = await socket.ask({ thread_id: await createThread(), text: 'and you?' })
  t.match(other.end, { type: 'done' })
  seen.push(...(await statusUntil(isDone)))

  t.ok(seen.every(({ running }) => running <= 1))
  t.ok(new Set(seen.map(({ queued }) => queued)).size > 5, 'many states were seen')
  t.ok(seen.some(({ processing }) => processing))
  t.match(await row(large), { artifacts: [{ path: 'meanwhile.txt' }] })
  const { messages: newest, ...page } = await history(large, '?limit=5')
  t.match(page, { ...READY, last_seq: turn.end.seq })
  t.match(newest, [
    { role: 'assistant' },
    { role: 'user', content: [{ text: 'are you there?' }] },
    { role: 'assistant', content: [{ text: 'here' }, { type: 'tool_use' }] },
    { role: 'tool' },
    { role: 'assistant', content: [{ text: 'and there' }] },
  ])
  t.equal(await messages().countDocuments({ thread_id: large }), LARGER * 2 + 4)
})

t.test('A thread with an active turn is rebuilt after the turn has ended', async (t) => {
  const [busy, free] = [await createThread(), await createThread()]
  const socket = await chat.connect()
  await socket.ask({ thread_id: busy, text: 'one' })
  await socket.ask({ thread_id: free, text: 'one' })
  const { hold, release } = createHold()
  fake.next({ text: ['half ', 'done'], hold, holdAfter: 1 })
  const sent = socket.say({ thread_id: busy, text: 'two' })
  await socket.until(({ content }) => content === 'half ')
  await age([busy, free])
  await start()
  await statusUntil(({ queued, running }) => queued === 1 && running === 0)
  t.match(await history(free), { history_status: 'ready' })
  t.match(await history(busy), { history_status: 'queued', turn_active: true, messages: [{}, {}, {}, {}] })
  release()
  await socket.seeTurn(sent)
  look()
  await untilDone()
  t.match(await history(busy), { ...READY, messages: [{}, {}, {}, { content: [{ text: 'half done' }] }] })
})

t.test('A thread with an incomplete ledger fails with a reason and delays no other thread', async (t) => {
  const made = await copy(long, 4)
  await age(made)
  const [headless, endless, torn, whole] = made as [string, string, string, string]
  const { last_seq } = await history(whole)
  const removed = await events()
    .find({
      _id: {
        $in: [
          `${headless}:${'1'.padStart(12, '0')}`,
          `${endless}:${String(last_seq).padStart(12, '0')}`,
          `${torn}:${String(last_seq / 50).padStart(12, '0')}`,
        ],
      },
    })
    .toArray()
  t.equal(removed.length, 3)
  await events().deleteMany({ _id: { $in: removed.map(({ _id }) => _id) } })
  await start()
  await untilDone()
  t.match(await status(), { ...NOTHING, failed: 3, can_start: true })
  t.match(await history(whole), READY)
  for (const thread_id of [headless, endless, torn]) {
    const { migration } = (await threads().findOne({ _id: thread_id }))!
    t.match(migration, { status: 'failed', error: /event \d+/ })
    t.match(await history(thread_id, '?limit=200'), {
      history_status: 'failed',
      history_loading: false,
      history_retry_after_ms: null,
    })
    t.equal(await messages().countDocuments({ thread_id }), 100, 'what was there is still there')
  }

  await events().insertMany(removed)
  t.match(await start(), { body: { accepted: 3, failed: 0, remaining: 3 } })
  await untilDone()
  for (const thread_id of made) t.match(await history(thread_id), READY)
})

t.test('A thread whose rebuild has ended its server each time is given up', { skip: onlyLong }, async (t) => {
  const [thread_id] = await copy(long, 1)
  await age([thread_id!])
  const migration = { status: 'running', queued_at: 1, attempts: 3 } as const
  await threads().updateOne({ _id: thread_id! }, { $set: { migration } })
  await statusUntil(({ failed }) => failed === 1)
  t.match((await threads().findOne({ _id: thread_id! }))!.migration, { error: /started 3 times/ })
  await start()
  await untilDone()
  t.match(await history(thread_id!), READY)
})

t.test('While an operation of the agent is in flight, no migration is started', async (t) => {
  const [thread_id] = await copy(long, 1)
  await age([thread_id!])
  const agents = server.db.collection<AgentDocument>('agents')
  const operation = { id: 'x', name: 'reload', holder: 'another', until: Date.now() } as const
  await agents.updateOne({ _id: agent_id }, { $set: { operation } })
  // As another process does, which this one notices after a moment.
  t.match((await statusUntil(({ agent_busy }) => agent_busy)).at(-1), {
    pending: 1,
    agent_busy: true,
    can_start: false,
  })
  const refused = await start()
  t.match(refused, { status: 409, body: { error: { code: 'AGENT_BUSY', details: { operation: 'reload' } } } })
  await agents.updateOne({ _id: agent_id }, { $set: { operation: null } })
  t.match(await start(), { status: 200, body: { accepted: 1 } })
  await untilDone()
})

t.test(
  "An owner's start reaches the threads of all users of the agent, and no other agent",
  { skip: onlyLong },
  async (t) => {
    const guest = await server.createUser({ username: 'guest' })
    await server.request('PATCH', `/agents/${agent_id}`, { body: { is_shared: true } })
    const [theirs] = await copy(long, 1)
    await threads().updateOne({ _id: theirs! }, { $set: { user_id: guest.id } })
    const { body: another } = await server.request('POST', '/agents', { body: { name: 'another' } })
    const [elsewhere] = await copy(long, 1)
    await threads().updateOne({ _id: elsewhere! }, { $set: { agent_id: another.id } })
    await age([theirs!, elsewhere!])
    t.match(await start(), { body: { accepted: 1 } })
    await untilDone()
    t.match(await history(theirs!, '', { token: guest.token }), READY)
    const { body } = await server.request('GET', `${calls.path(another.id)}/status`)
    t.match(body, { ...NOTHING, remaining: 1, pending: 1, can_start: true })
  },
)

t.test('Several agents are worked on at the same time', { skip: onlyLong }, async (t) => {
  const [thread, otherThread] = [await seedThread(chat, LARGE), await seedThread(chat, LARGE)]
  const { body: another } = await server.request('POST', '/agents', { body: { name: 'at the same time' } })
  await threads().updateOne({ _id: otherThread }, { $set: { agent_id: another.id } })
  await age([thread, otherThread])
  const read = async () => {
    const [mine, { body: theirs }] = await Promise.all([
      status(),
      server.request('GET', `${calls.path(another.id)}/status`),
    ])
    return [mine, theirs]
  }
  await Promise.all([start(), server.request('POST', `${calls.path(another.id)}/start`)])
  const seen = [await read()]
  while (!seen.at(-1)!.every(isDone)) {
    await pause(10)
    seen.push(await read())
  }
  t.ok(seen.some((both) => both.every(({ running }) => running === 1)))
})

t.test('A rebuild of a fork leaves the messages of its source alone', async (t) => {
  const [fork] = (await copy(varied, 1)) as [string]
  const source = { path: 'of-the-source.txt', filename: 'of-the-source.txt', media_type: 'text/plain' }
  // A fork before its first turn: its ledger begins after the messages of its source.
  const cut = (await history(fork)).last_seq
  const own = { _id: new RegExp(`^${fork}:`) }
  await Promise.all([events().deleteMany(own), messages().deleteMany({ thread_id: fork })])
  await threads().updateOne({ _id: fork }, { $set: { forked_from: varied, artifacts: [source] } })
  await age([fork])
  await start()
  await untilDone()
  t.match(await history(fork), { ...READY, last_seq: cut })
  t.match(await row(fork), { artifacts: [source] })

  const socket = await chat.connect()
  fake.next(
    { toolCalls: [{ name: 'write_file', arguments: { path: 'own.txt', content: 'x' } }] },
    { text: 'done' },
  )
  const turn = await socket.ask({ thread_id: fork, text: 'go on' })
  const { messages: said } = await history(fork)
  await age([fork])
  await threads().updateOne({ _id: fork }, { $set: { artifacts: [source] } })
  await start()
  await untilDone()
  t.strictSame((await history(fork)).messages, said)
  t.match(await history(fork), { ...READY, last_seq: turn.end.seq })
  t.match(await row(fork), { artifacts: [source, { path: 'own.txt' }] })
})

t.test('A thread that is deleted while it is rebuilt leaves nothing behind', async (t) => {
  const thread_id = await seedThread(chat, LARGE)
  await age([thread_id])
  await start()
  await statusUntil(({ running }) => running === 1)
  t.match(await chat.threads('DELETE', `/${thread_id}`), { status: 204 })
  await statusUntil(({ processing }) => !processing)
  t.equal(await messages().countDocuments({ thread_id }), 0)
  t.equal(await events().countDocuments({ _id: new RegExp(`^${thread_id}:`) }), 0)
})

t.test('The rebuild of a killed server is continued by another one', async (t) => {
  const made = await copy(long, MANY)
  const historyBefore = await history(made[0]!, '?limit=200')
  await age(made)
  const other = await spawnService(t, server.home)
  const response = await fetch(`${other.url}/api${calls.path()}/start`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.admin.token}` },
  })
  t.match(await response.json(), { accepted: MANY })
  await statusUntil(({ queued }) => queued < MANY - 3)
  await other.kill()
  const left = await status()
  t.ok(left.remaining > 0, `${left.remaining} are left`)
  t.ok(left.running <= 1)
  const seen = await statusUntil(isDone, look)
  t.ok(seen.every(({ running }) => running <= 1))
  t.match(await status(), { ...NOTHING })
  for (const thread_id of made) {
    const { messages: rebuilt, ...page } = await history(thread_id, '?limit=200')
    t.match(page, READY)
    t.equal(rebuilt.length, historyBefore.messages.length)
  }
})

t.test(
  'A server that is stopped during a rebuild continues it after a restart',
  { skip: onlyLong },
  async (t) => {
    const made = await copy(long, MANY)
    await age(made)
    await start()
    await statusUntil(({ queued }) => queued < MANY - 2)
    await server.restart()
    t.ok((await status()).remaining > 0)
    await untilDone()
    for (const thread_id of made) t.match(await history(thread_id), READY)
  },
)
