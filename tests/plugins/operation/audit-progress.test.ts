import { chainEntries } from '../../../plugins/operation/audit/chain.ts'
import t from '../../run/file-test.ts'
import { buy, headOf, logOf, rowsOf, startShop } from './audit-shop.ts'

const server = await startShop(t)
const { auditVerification } = server.server.runtime.cradleOf('audit')

t.test('The route verifies with progress, and says in words which row is broken', async (t) => {
  const readSteps = async () => {
    const { status, body, headers } = await server.request('GET', '/admin/audit-log/verification')
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^text\/event-stream/)
    return [...String(body).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!))
  }
  for (let count = 1; count < 8; count += 1) await buy(server, `filler-${count}`)
  const [first, last] = await readSteps()
  t.same(first, { rows: 0, total: 8, verdict: null })
  t.match(last, { rows: 8, total: 8, verdict: { whole: true, rows: 8, removed: 0, broken: null } })

  const rows = await rowsOf(server)
  await logOf(server).updateOne({ _id: 5 }, { $set: { actor: 'eve' } })
  t.match((await readSteps()).at(-1).verdict, {
    whole: false,
    rows: 4,
    broken: { id: '5', fault: 'changed' },
  })
  await logOf(server).replaceOne({ _id: 5 }, rows[4]!)
  t.match((await readSteps()).at(-1).verdict, { whole: true })

  const bob = await server.createUser({ username: 'bob' })
  t.match(await server.request('GET', '/admin/audit-log/verification', { token: bob.token }), { status: 403 })
})

t.test('A long log is verified in steps', async (t) => {
  const log = logOf(server)
  const rows = await rowsOf(server)
  const last = rows.at(-1)!
  const { _id, hash, ...entry } = last
  const filler = Array.from({ length: 2500 }, (_, n) => ({ ...entry, entry_id: `step-${n}` }))
  const chained = chainEntries({ seq: _id, hash }, filler)
  await log.insertMany(chained)
  await headOf(server).updateOne(
    { _id: 'newest' },
    { $set: { seq: chained.at(-1)!._id, hash: chained.at(-1)!.hash } },
  )
  const counts: number[] = []
  const steps = auditVerification.steps()
  let step = await steps.next()
  for (; !step.done; step = await steps.next()) counts.push(step.value)
  t.same(counts, [1000, 2000])
  t.match(step.value, { whole: true, rows: rows.length + 2500 })
  const stop = new AbortController()
  const stopped = auditVerification.steps({ signal: stop.signal })
  await stopped.next()
  stop.abort()
  await t.rejects(stopped.next(), { name: 'AbortError' })
})
