import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { PROVIDER } from '../../support/chat.ts'
import { createHome, startServer, type TestServer } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'
import { callsTo, createKnowledgeCalls, type TestFile } from './knowledge-calls.ts'

/** Returns the files below a folder that contain a word. */
const findFiles = (folder: string, word: string): string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).filter((name) => {
    const path = join(folder, name)
    try {
      return statSync(path).isFile() && readFileSync(path).includes(word)
    } catch (error) {
      // A file may be removed meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
  })

const word = (name: string) => `q${Buffer.from(name).toString('hex')}z8x5k2`
const fileOf = (name: string): TestFile => [`${name}.txt`, `The word is ${word(name)}.`]
/** Enough passages that the removed ones are a small part of their file. */
const OTHERS: TestFile[] = Array.from({ length: 3 }, (_, n) => {
  const lines = Array.from({ length: 1500 }, (_, line) => `Line ${line} of book ${n} says nothing.\n\n`)
  return [`other${n}.txt`, `The word is ${word(`other${n}`)}. ${lines.join('')}`]
})

const readRemovals = async ({ db }: TestServer): Promise<{ since: number } | undefined> =>
  (await db.collection('knowledge_settings').findOne())!.removals

/** Restarts a server once a purge is due: its job runs at the start, and then every minute. */
const restartWhenDue = async (server: TestServer) => {
  await eventually('the moment when it is due', async () => {
    const removals = await readRemovals(server)
    return removals && Date.now() - removals.since > 1000
  })
  await server.restart()
}

const untilPurged = (server: TestServer) =>
  eventually('the end of the purge', async () => (await readRemovals(server)) === undefined)

/** Waits until no file contains a word; an error lists the files that still do, and the end of the log. */
const untilGone = ({ logged }: TestServer, folder: string, text: string) =>
  eventually(
    () => `${text} is in ${findFiles(folder, text)}; the log: ${logged().slice(-5000)}`,
    () => findFiles(folder, text).length === 0,
  )

for (const hasVectors of [false, true])
  t.test(
    `What was removed leaves the disk, ${hasVectors ? 'with' : 'without'} an embedding model`,
    async (t) => {
      const home = createHome(t, {
        database: { url: await createDatabaseUrl(t) },
        plugins: { knowledge: { purge_seconds: 1 } },
      })
      const server = await startServer(t, { home })
      const { create, request, search, settled, upload } = createKnowledgeCalls(server)
      if (hasVectors) {
        const upstream = await createFakeOpenAI()
        t.teardown(() => upstream.close())
        await server.request('POST', '/admin/providers', {
          body: { ...PROVIDER, name: 'vectors', base_url: upstream.url },
        })
        t.equal((await request('PUT', '/settings', { embedding_model: 'vectors:embedder' })).status, 200)
      }
      const kept = await create('Kept')
      const gone = await create('Gone')
      const { token, id: user_id } = await server.createUser({
        username: 'leaver',
        permissions: ['knowledge_bases'],
      })
      const theirs = await create('Theirs', { token })
      await upload(kept, [...OTHERS, fileOf('deleted'), fileOf('replaced')])
      await upload(gone, [fileOf('ofbase')])
      await upload(theirs, [fileOf('ofaccount')], { token })
      const documents = await settled(kept)
      await settled(gone)
      await settled(theirs, token)
      await eventually('one index', async () => !(await request('GET', '/settings')).body.is_rebuilding)
      const folder = join(home, 'knowledge')
      const names = ['deleted', 'replaced', 'ofbase', 'ofaccount']
      for (const name of names) t.ok(findFiles(folder, word(name)).length > 2, `${name} is on the disk`)

      t.equal((await request('DELETE', `/${kept}/documents/${documents['deleted.txt'].id}`)).status, 204)
      await upload(kept, [['replaced.txt', 'Another text.']])
      await settled(kept)
      t.equal((await request('DELETE', `/${gone}`)).status, 204)
      t.equal((await server.request('DELETE', `/users/${user_id}`)).status, 204)

      await restartWhenDue(server)
      for (const name of names) await untilGone(server, folder, word(name))
      await untilPurged(server)
      t.ok(findFiles(join(folder, 'documents'), word('other1')).length > 0, 'other documents are on the disk')
      for (const [path] of OTHERS)
        t.match(await search(word(path.slice(0, -4)), { knowledge_base_ids: [kept] }), [{ path }])
    },
  )

t.test('What a killed server had written of a deleted document leaves the disk', async (t) => {
  const home = createHome(t, {
    database: { url: await createDatabaseUrl(t) },
    plugins: { knowledge: { purge_seconds: 1 } },
  })
  const first = await startServer(t, { home })
  const calls = createKnowledgeCalls(first)
  const base = await calls.create('Crash')
  await calls.upload(base, OTHERS)
  await calls.settled(base)
  await first.stop()

  const victim = await spawnService(t, home)
  const victimCalls = createKnowledgeCalls({ admin: first.admin, ...callsTo(victim.url, first.admin.token) })
  const text = Array.from({ length: 100_000 }, (_, n) => `The number ${n} is one of many.\n\n`).join('')
  const [large] = (await victimCalls.upload(base, [['large.txt', text]])).body
  await eventually('the first passages', async () => {
    const { status, progress } = (await victimCalls.list(base)).find(({ id }) => id === large.id)!
    t.not(status, 'ready', 'it is killed before the end')
    return status === 'indexing' && progress > 0
  })
  await victim.kill()

  const server = await startServer(t, { home })
  const { list, request, search } = createKnowledgeCalls(server)
  t.equal((await request('DELETE', `/${base}/documents/${large.id}`)).status, 204)
  t.equal((await list(base)).length, OTHERS.length)
  const folder = join(home, 'knowledge')
  const table = readdirSync(join(folder, 'index')).find((name) => name.startsWith('passages_'))
  writeFileSync(join(folder, 'index', table!, 'data', 'unfinished.lance'), word('unfinished'))
  t.ok(findFiles(folder, large.id).length > 0, 'passages of the killed run are on the disk')
  const leases = server.db.collection('knowledge_leases')
  await eventually('the end of all work', async () => (await leases.countDocuments()) === 0)
  // A quarter of an hour passes, after which the killed server's jobs are run by another one.
  await server.db.collection('leases').deleteMany({ _id: /^knowledge/ as never })
  await server.db.collection('knowledge_runs').updateMany({}, { $set: { started_at: 0 } })
  await server.restart()
  await eventually('the removal of the run', async () => await readRemovals(server))
  await restartWhenDue(server)
  for (const text of [large.id, word('unfinished')]) await untilGone(server, folder, text)
  await untilPurged(server)
  t.match(await search(word('other1'), { knowledge_base_ids: [base] }), [{ path: 'other1.txt' }])
})
