import { setTimeout as pause } from 'node:timers/promises'
import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { createMigrationCalls } from './migration-calls.ts'
import { createSearchCalls, type Row } from './search-calls.ts'

const DAY = 86_400

const clock = createTestClock()
const chat = await startChat(t, { clock, config: { plugins: { chat: { keep_days: 30 } } } })
const { server, threads } = chat
const { say, search, countIndexed } = createSearchCalls(chat)
const { age, importFile, start, statusUntil } = createMigrationCalls(chat)
const idsOf = (rows: Row[]) => rows.map(({ thread_id }) => thread_id)
const isDone = ({ remaining, processing }: { remaining: number; processing: boolean }) =>
  remaining === 0 && !processing

/** Searches until so many rows are found, as the index follows in the background. */
async function searchUntil(q: string, count: number): Promise<Row[]> {
  for (;;) {
    const rows = await search({ q })
    if (rows.length === count) return rows
    await pause(50)
  }
}

t.test('nothing of a deleted conversation is found, or left in the index', async (t) => {
  const thread_id = await say('about marzipan', 'marzipan is sweet')
  t.equal((await search({ q: 'marzipan' })).length, 3)
  t.ok((await countIndexed(thread_id)) > 0)
  t.equal((await threads('DELETE', `/${thread_id}`)).status, 204)
  t.strictSame(await search({ q: 'marzipan' }), [])
  t.equal(await countIndexed(thread_id), 0)
})

t.test('the messages of a fork are found once, and remain when their source is deleted', async (t) => {
  const source = await say('one', 'nougat in the beginning')
  await say('two', 'nougat that the fork leaves out', { thread_id: source })
  const { body } = await threads('POST', `/${source}/fork`, { body: { assistant_turns_from_end: 2 } })
  const fork = body.thread_id
  await say('three', 'nougat of the fork', { thread_id: fork })
  t.strictSame(idsOf(await search({ q: 'nougat' })), [fork, source, source])

  await threads('DELETE', `/${source}`)
  t.strictSame(idsOf(await search({ q: 'nougat' })), [fork, fork])
  t.strictSame(await search({ q: 'leaves' }), [])
  const pages = await server.db.collection('search_pages').find({ thread_id: source }).toArray()
  const indexed = pages.flatMap((page) => Object.values(page).filter(Array.isArray).flat())
  t.equal(indexed.length, 2, 'the question and the answer that the fork shows')

  await threads('DELETE', `/${fork}`)
  t.strictSame(await search({ q: 'nougat' }), [])
  t.equal((await countIndexed(source)) + (await countIndexed(fork)), 0)
})

t.test('an imported conversation is found, and a history that is built anew', async (t) => {
  const thread_id = await say('begin', 'a caramel of old')
  const exported = await threads('GET', `/${thread_id}/trajectory/export`)
  const { body: imported } = await importFile(exported.body)
  await start()
  await statusUntil(isDone)
  t.strictSame(idsOf(await search({ q: 'caramel' })).sort(), [thread_id, imported.thread_id].sort())

  await age([thread_id])
  await start()
  await statusUntil(isDone)
  t.strictSame(idsOf(await search({ q: 'caramel' })).sort(), [thread_id, imported.thread_id].sort())
  const pages = await server.db.collection('search_pages').find({ thread_id }).toArray()
  const indexed = pages.flatMap((page) => Object.values(page).filter(Array.isArray).flat())
  t.equal(indexed.length, 2, 'each message once')
})

t.test('nothing of a deleted agent or account is left', async (t) => {
  const { id, token } = await server.createUser({ username: 'leaving' })
  await server.request('PATCH', `/agents/${chat.agent_id}`, { body: { is_shared: true } })
  const thread_id = await say('hello', 'praline', { token })
  t.equal((await search({ q: 'praline' }, token)).length, 1)
  t.equal((await server.request('DELETE', `/users/${id}`)).status, 204)
  t.equal(await countIndexed(thread_id), 0)

  const { body: agent } = await server.request('POST', '/agents', { body: { name: 'passing' } })
  const socket = await chat.connect({ agent_id: agent.id })
  chat.fake.next({ text: ['praline again'] })
  const turn = await socket.ask({ text: 'hello' })
  t.equal((await search({ q: 'praline' })).length, 1)
  t.equal((await server.request('DELETE', `/agents/${agent.id}`)).status, 204)
  t.strictSame(await search({ q: 'praline' }), [])
  t.equal(await countIndexed(turn.thread_id), 0)
})

t.test('messages that were stored and removed while the plugin did not run are followed', async (t) => {
  const thread_id = await say('before', 'liquorice and mint')
  const removed = await say('gone', 'liquorice that is gone')
  await server.db.collection('search_pages').deleteMany({ thread_id })
  for (const name of ['threads', 'messages'])
    await server.db
      .collection(name)
      .deleteMany(name === 'threads' ? { _id: removed as never } : { thread_id: removed })
  t.strictSame(await search({ q: 'liquorice' }), [])
  await server.restart()
  t.strictSame(idsOf(await searchUntil('liquorice', 1)), [thread_id])
  while ((await countIndexed(removed)) > 0) await pause(50)

  await server.db.collection('search_pages').deleteMany({})
  await server.db.collection('search_state').deleteMany({})
  await server.restart()
  t.strictSame(idsOf(await searchUntil('liquorice', 1)), [thread_id], 'an index that is missing is built')
})

t.test('an index of a restored database is built anew', async (t) => {
  await say('stored', 'toffee')
  await server.server.runtime.extensions['backup.restored'].ask({})
  await server.restart()
  t.equal((await searchUntil('toffee', 1)).length, 1)
})

t.test('what retention removes is not found', async (t) => {
  const thread_id = await say('old', 'fudge')
  t.equal((await search({ q: 'fudge' })).length, 1)
  clock.advance(31 * DAY)
  await server.server.runtime.extensions['retention.prunings'].ask({ dry_run: false })
  t.equal(await countIndexed(thread_id), 0)
  t.equal(await server.db.collection('search_pages').countDocuments({}), 0)
})
