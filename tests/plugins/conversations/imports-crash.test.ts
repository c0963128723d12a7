import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from '../../run/file-test.ts'
import { amount } from '../../run/tier.ts'
import { startChat } from '../../support/chat.ts'
import { startServer } from '../../support/server.ts'
import { spawnService } from '../../support/service-process.ts'
import { archiveOf, chatGptConversation, chatGptMessage } from './import-archives.ts'
import { createImportCalls } from './import-calls.ts'

const chat = await startChat(t)
const { server } = chat
const { untilEnded, read, textsOf } = createImportCalls(chat)

const COUNT = amount({ short: 100, long: 2000 })

const conversations = Array.from({ length: COUNT }, (_, index) =>
  chatGptConversation(`crash-${index}`, [
    chatGptMessage('user', [`Question ${index}`]),
    chatGptMessage('assistant', [`Answer ${index}`]),
    chatGptMessage('user', ['More?']),
    chatGptMessage('assistant', ['More.']),
  ]),
)
const archive = archiveOf({
  'conversations-000.json': conversations.slice(0, COUNT / 2),
  'conversations-001.json': conversations.slice(COUNT / 2),
})

/** Uploads the archive to another server of the same home. */
async function startAt(url: string): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([archive]), 'export.zip')
  const reply = await fetch(`${url}/api/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.admin.token}` },
    body: form,
  })
  const body = (await reply.json()) as { id: string }
  t.equal(reply.status, 202, JSON.stringify(body))
  return body.id
}

const untilBegun = async (id: string) => {
  for (let imported = 0; imported < 5; imported = (await read(id, '?limit=1')).body.counts.imported)
    await pause(10)
}

/** Looks for work as the job does, which the leases of a killed server keep waiting. */
async function untilDone(id: string) {
  const { importWorker } = server.server.runtime.cradleOf('imports')
  const looking = setInterval(() => void importWorker.look(), 200)
  try {
    return await untilEnded(id)
  } finally {
    clearInterval(looking)
  }
}

const assertWhole = async (t: Test, id: string) => {
  const { body } = await read(id, '?limit=200')
  t.match(body, {
    state: 'done',
    counts: { imported: COUNT, unchanged: 0, empty: 0, failed: 0 },
    progress: 1,
  })
  t.equal(await server.db.collection('import_lines').countDocuments({ import_id: id }), COUNT)
  t.equal(await server.db.collection('threads').countDocuments({ title: /^Chat crash-/ }), COUNT)
  t.equal((await textsOf(body.lines[99].thread_id)).length, 4)
}

t.test('An import continues after its server was killed', async (t) => {
  const service = await spawnService(t, server.home)
  const id = await startAt(service.url)
  await untilBegun(id)
  await service.kill()
  await untilDone(id)
  await assertWhole(t, id)
})

t.test('An import continues at another server when its own stops', async (t) => {
  for (const { _id } of await server.db
    .collection('threads')
    .find({ title: /^Chat crash-/ })
    .toArray())
    await chat.threads('DELETE', `/${_id}`)
  const second = await startServer(t, { home: server.home })
  const id = await startAt(second.url)
  await untilBegun(id)
  await second.stop()
  await untilDone(id)
  await assertWhole(t, id)
})
