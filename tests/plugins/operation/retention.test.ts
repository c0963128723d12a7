import t from '../../run/file-test.ts'
import { startChat } from '../../support/chat.ts'
import { createTestClock } from '../../support/clock.ts'
import { runCommand } from '../../support/kernel.ts'
import { ADMIN, databaseEnvironment } from '../../support/server.ts'

const DAY = 86_400

const clock = createTestClock()
const keep = { keep_days: 30 }
const plugins = { chat: keep, usage: keep, audit: keep, feedback: keep }
const chat = await startChat(t, { clock, config: { plugins } })
const { server } = chat

const svc = (...args: string[]) => runCommand(server.home, args, { env: databaseEnvironment(server.home) })

/** Asks every plugin, as the job does, with the clock of the test. */
const prune = (dry_run: boolean) =>
  server.server.runtime.extensions['retention.prunings']
    .ask({ dry_run })
    .then((pruned) => Object.fromEntries(pruned.map(({ kind, count }) => [kind, count])))

t.test('what is older than the settings say is removed, and nothing else', async (t) => {
  const socket = await chat.connect()
  const [old, pinned, busy] = [
    await chat.createThread(),
    await chat.createThread(),
    await chat.createThread(),
  ]
  for (const thread_id of [old, pinned, busy]) await socket.ask({ thread_id, text: 'hello' })
  await chat.threads('PATCH', `/${pinned}`, { body: { pinned: true } })
  const { messages } = await chat.history(old)
  const path = `/${old}/messages/${messages.at(-1).id}/feedback`
  t.match(await chat.threads('PUT', path, { body: { value: 1 } }), { status: 200 })
  const day = await server.db.collection('audit_log').countDocuments()
  clock.advance(31 * DAY)
  const token = await server.login(ADMIN.username, ADMIN.password)
  const later = await chat.connect({ token })
  await later.ask({ thread_id: busy, text: 'again' })

  const expected = { threads: 1, 'usage rows': 3, 'audit rows': day, feedback: 1 }
  t.match(await prune(true), expected)
  t.match(await prune(true), expected, 'a dry run removes nothing')
  t.match(await prune(false), expected)
  t.match(await prune(false), { threads: 0, 'usage rows': 0, 'audit rows': 0, feedback: 0 })
  const { body: threads } = await chat.threads('GET', '', { token })
  t.same(threads.map(({ thread_id }: { thread_id: string }) => thread_id).sort(), [pinned, busy].sort())
  for (const name of ['events', 'messages'])
    t.equal(await server.db.collection(name).countDocuments({ _id: new RegExp(old) as never }), 0)
  t.ok((await server.db.collection('usage_counters').findOne({}))!.total > 0, 'totals keep their sums')

  t.match(await svc('admin', 'audit', '--verify'), {
    code: 0,
    stdout: /is intact\. Rows: [1-9]\d*\. Removed before them: [1-9]\d*\./,
  })
  await server.db.collection('audit_log').deleteOne({}, { hint: { _id: 1 } })
  await server.login(ADMIN.username, ADMIN.password)
  t.match(await svc('admin', 'audit', '--verify'), { code: 1, stdout: /row \d+ is missing/ })
})

t.test('svc prune removes by the settings of the server', async (t) => {
  const { code, stdout } = await svc('prune', '--dry-run')
  t.equal(code, 0)
  t.match(stdout, /^kind +kept +would be removed\n/)
  t.match(stdout, /\nthreads +30 days +0\n/)
  const rows = JSON.parse((await svc('prune', '--json')).stdout)
  t.match(rows, [
    { keep_days: 30, count: 0 },
    { keep_days: 30, count: 0 },
    { keep_days: 30, count: 0 },
    { keep_days: 30, count: 0 },
  ])
})
