import t from '../../run/file-test.ts'
import { startServer } from '../../support/server.ts'
import { CTRL_D, start } from './terminal-run.ts'

const server = await startServer(t)
const env = { SVC_PASSWORD: server.admin.password, NO_COLOR: '1' }
const { body: assistant } = await server.request('GET', '/agents/assistant')

/** Stores this many copies of an existing document. */
async function copy(collection: string, count: number, vary: (n: number) => object) {
  const documents = server.db.collection<{ _id: string }>(collection)
  const document = (await documents.findOne())!
  await documents.insertMany(Array.from({ length: count }, (_, n) => ({ ...document, ...vary(n) }) as never))
}

t.test('all pages of the agents are listed, and the first are named', async (t) => {
  await copy('agents', 240, (n) => ({ _id: `${assistant.id}${n}`, name: `agent-${n}` }))
  const run = start(t, { url: server.url, tty: true, env })
  await run.type('you', '/agents')
  await run.until('Talk to one of them')
  const listed = [...run.written.stdout.matchAll(/^ {2}(agent-\d+) {2}/gm)].map(([, name]) => name)
  t.equal(new Set(listed).size, 240)
  run.stdin.write(CTRL_D)
  t.equal(await run.code, 0)

  const lost = start(t, { agent: 'nobody', url: server.url, env })
  t.equal(await lost.code, 1)
  t.match(lost.written.stderr, /You can talk to: assistant(, agent-\d+){19}, …\.$/m)
})

t.test('threads are listed a page at a time, and chosen by their numbers in the whole list', async (t) => {
  for (let n = 0; n < 45; n += 1) {
    await server.request('POST', '/agents/assistant/threads', { body: { title: `Thread ${n}.` } })
  }
  const run = start(t, { url: server.url, tty: true, env })
  const enter = async (line: string) => {
    await run.type('you', line)
  }
  await enter('/threads more')
  await run.until('  1  ')
  await run.until('Thread 25.\n')
  await run.until('There are more: /threads more')
  await enter('/threads more')
  await run.until(' 21  ')
  await run.until('Thread 5.\n')
  await run.until('There are more: /threads more')
  await enter('/threads more')
  await run.until(' 41  ')
  await run.until('Thread 0.\n')
  await enter('/threads more')
  await run.until('There are no more threads.')
  await enter('/switch 44')
  const { body: rows } = await server.request('GET', '/agents/assistant/threads?limit=1&offset=43')
  await run.until(`Thread ${rows[0].thread_id}`)
  await enter('/switch 46')
  await run.until('Thread number 46 does not exist')
  await enter('/threads')
  await run.until('  1  ')
  await enter('/quit')
  t.equal(await run.code, 0)
})
