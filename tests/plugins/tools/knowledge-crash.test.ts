import { setTimeout as pause } from 'node:timers/promises'
import { MongoClient } from 'mongodb'
import { createFakeOpenAI } from '../../../plugin-api/testing/fake-openai.ts'
import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { PROVIDER } from '../../support/chat.ts'
import { makeEndlessPdf } from '../../support/office-files.ts'
import { createChance } from '../../support/random.ts'
import { createHome, startServer } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'
import { createDatabaseUrl } from '../../support/test-engine.ts'
import { callsTo, createKnowledgeCalls } from './knowledge-calls.ts'

const KILLS = amount({ short: 1, long: 30 })
const EACH = 6

t.test('After kill -9, no document is lost or doubled, and nothing of a deleted one is found', async (t) => {
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  const first = await startServer(t, { home })
  const id = await createKnowledgeCalls(first).create('Crash')
  const upstream = await createFakeOpenAI()
  t.teardown(() => upstream.close())
  await first.request('POST', '/admin/providers', {
    body: { ...PROVIDER, name: 'vectors', base_url: upstream.url },
  })
  await first.stop()
  const random = createChance(7)
  const kept = new Map<string, string>()
  const gone: string[] = []
  for (let round = 0; round < KILLS; round += 1) {
    const victim = await spawnService(t, home)
    const calls = createKnowledgeCalls({ admin: first.admin, ...callsTo(victim.url, first.admin.token) })
    let isDead = false
    const died = (async () => {
      // The first server lives until something is gone, however slow the machine is.
      if (round === 0) await eventually('a removal', () => gone.length > 0)
      await pause(random.int(50, 1500))
      isDead = true
      await victim.kill()
    })()
    try {
      const changedAt = random.int(0, EACH - 1)
      for (let n = 0; n < EACH; n += 1) {
        const embedding_model = round % 2 === 0 ? 'vectors:embedder' : null
        if (n === changedAt)
          t.equal((await calls.request('PUT', '/settings', { embedding_model })).status, 200, 'a model')
        const word = `unicorn${round}x${n}`
        // The last one replaces the document of the round before, whose word is not found once that was acknowledged.
        const isReplacing = n === EACH - 1 && round > 0
        const path = isReplacing ? `unicorn${round - 1}x0.txt` : `${word}.txt`
        const former = `unicorn${round - 1}x0`
        if (isReplacing) kept.delete(former)
        const [{ id: document_id }] = (await calls.upload(id, [[path, `${word} is here.`]])).body
        kept.set(word, document_id)
        if (isReplacing) gone.push(former)
        if (n % 3 !== 1) continue
        kept.delete(word)
        const { status } = await calls.request('DELETE', `/${id}/documents/${document_id}`)
        if (status === 204) gone.push(word)
      }
    } catch (error) {
      // The server was killed, and answers nothing.
      if (!isDead) throw error
    }
    await died
  }

  t.ok(kept.size > 0 && gone.length > 0, `${kept.size} words are kept, ${gone.length} are gone`)
  const server = await startServer(t, { home })
  const { request, settled, search } = createKnowledgeCalls(server)
  const documents = Object.values(await settled(id))
  await eventually('the new index', async () => !(await request('GET', '/settings')).body.is_rebuilding)
  /** Returns what is found and contains the word; vectors find other passages as well. */
  const find = async (word: string) =>
    (await search(word, { knowledge_base_ids: [id], limit: 50 })).filter(({ text }) =>
      new RegExp(`${word}\\b`).test(text),
    )
  for (const [word, document_id] of kept) {
    t.match(
      documents.find((document) => document.id === document_id),
      { status: 'ready' },
      word,
    )
    t.match(await find(word), [{ document_id }])
    t.equal((await find(word)).length, 1, `${word} is found once`)
  }
  for (const word of gone) t.strictSame(await find(word), [], word)
})

t.test(
  'A document that was read whenever the server was killed is given up; one that a stop interrupts is not',
  async (t) => {
    const url = await createDatabaseUrl(t)
    const database = await new MongoClient(url).connect()
    t.teardown(() => database.close())
    const home = createHome(t, { database: { url } })
    const first = await startServer(t, { home })
    const id = await createKnowledgeCalls(first).create('Heavy')
    await first.stop()
    const endless = makeEndlessPdf()
    const documents = database
      .db()
      .collection<{ base_id: string; work?: { readings?: number } }>('knowledge_documents')
    const countReadings = async () => (await documents.findOne({ base_id: id }))?.work?.readings ?? 0
    // Of ten crashes, seven are only noted.
    for (const [signal, state] of [
      ['SIGTERM', 0],
      ['SIGKILL', 0],
      ['SIGTERM', 1],
      ['SIGKILL', 1],
      ['SIGKILL', 9],
    ] as const) {
      if (state === 9) await documents.updateOne({ base_id: id }, { $set: { 'work.readings': state } })
      const victim = await spawnService(t, home)
      const calls = createKnowledgeCalls({ admin: first.admin, ...callsTo(victim.url, first.admin.token) })
      await calls.upload(id, [['endless.pdf', endless]])
      await eventually('the begin of reading', async () => {
        const [document] = await calls.list(id)
        t.not(document.status, 'failed', `it is read before ${signal}`)
        return (await countReadings()) === state + 1
      })
      await victim.kill(signal)
    }
    const server = await startServer(t, { home })
    const { settled, upload } = createKnowledgeCalls(server)
    t.match((await settled(id))['endless.pdf'], { status: 'failed', error: { code: 'DOCUMENT_TOO_LARGE' } })
    await upload(id, [['after.txt', 'Read afterwards.']])
    t.match((await settled(id))['after.txt'], { status: 'ready' })
  },
)
