import { setTimeout as pause } from 'node:timers/promises'
import t from '../run/file-test.ts'
import { amount } from '../run/tier.ts'
import { createChance } from '../support/random.ts'
import { createHome, startServer, type TestServer } from '../support/server.ts'
import { spawnService } from '../support/service-process.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'
import { createKnowledgeCalls } from './knowledge-calls.ts'

const KILLS = amount({ short: 2, long: 30 })
const EACH = 6

/** Calls a server by its address. */
const callsTo = (url: string, token: string): Pick<TestServer, 'url' | 'request'> => ({
  url,
  async request(method, path, { body } = {}) {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const response = await fetch(`${url}/api${path}`, { method, headers, body: JSON.stringify(body) })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined }
  },
})

t.test('After kill -9, no document is lost or doubled, and nothing of a deleted one is found', async (t) => {
  const home = createHome(t, { database: { url: await createDatabaseUrl(t) } })
  const first = await startServer(t, { home })
  const id = await createKnowledgeCalls(first).create('Crash')
  await first.stop()
  const random = createChance(7)
  const kept = new Map<string, string>()
  const deleted: string[] = []
  for (let round = 0; round < KILLS; round += 1) {
    const victim = await spawnService(t, home)
    const calls = createKnowledgeCalls({ admin: first.admin, ...callsTo(victim.url, first.admin.token) })
    const died = (async () => {
      await pause(random.int(50, 1500))
      await victim.kill()
    })()
    try {
      for (let n = 0; n < EACH; n += 1) {
        const word = `unicorn${round}x${n}`
        const [{ id: document_id }] = (await calls.upload(id, [[`${word}.txt`, `${word} is here.`]])).body
        kept.set(word, document_id)
        if (n % 3 !== 2) continue
        kept.delete(word)
        const { status } = await calls.request('DELETE', `/${id}/documents/${document_id}`)
        if (status === 204) deleted.push(word)
      }
    } catch {
      // The server was killed.
    }
    await died
  }

  const server = await startServer(t, { home })
  const { settled, search } = createKnowledgeCalls(server)
  const documents = await settled(id)
  for (const [word, document_id] of kept) {
    t.match(documents[`${word}.txt`], { id: document_id, status: 'ready' }, word)
    t.match(await search(word, { knowledge_base_ids: [id] }), [{ document_id }])
    t.equal((await search(word, { knowledge_base_ids: [id] })).length, 1, `${word} is found once`)
  }
  for (const word of deleted) t.strictSame(await search(word, { knowledge_base_ids: [id] }), [], word)
})
