import { eventually } from '../../../plugin-api/testing/waiting.ts'
import { thisProcess } from '../../../plugin-api/toolbox/process-identity.ts'
import t from '../../run/file-test.ts'
import { startDatabaseProxy } from '../../support/database-proxy.ts'
import { pluginSource } from '../../support/kernel.ts'
import { startServer } from '../../support/server.ts'

const proxy = await startDatabaseProxy(t)
const counts: Record<string, number> = {}
Object.assign(globalThis, { outage: { counts, cut: () => proxy.cut() } })

/** Routes whose handlers lose the database before, at and after their first write, and after their work. */
const shop = pluginSource(
  'shop',
  `host.collection('orders')
  const { counts, cut } = outage
  const route = (path, handle) => ({
    method: 'POST', path, summary: 'Order', guard: 'user', audit: { none: 'a test' }, response: { 200: {} },
    handler: async (_, { collections: { orders } }) => {
      const round = counts[path] = (counts[path] ?? 0) + 1
      await handle(orders, round === 1)
      return { round }
    },
  })
  host.routes([
    route('/before', async (orders, isFirst) => {
      if (isFirst) cut()
      await orders.findOne({})
      await orders.insertOne({ _id: 'before' })
    }),
    route('/at', async (orders, isFirst) => {
      if (isFirst) cut()
      await orders.insertOne({ _id: 'at' })
    }),
    route('/after', async (orders, isFirst) => {
      await orders.insertOne({ _id: 'after' })
      if (isFirst) cut()
      await orders.findOne({})
    }),
    route('/answered', async (orders, isFirst) => {
      await orders.insertOne({ _id: 'answered' })
      if (isFirst) cut()
    }),
  ])`,
  "depends: ['auth'],",
)

const server = await startServer(t, { plugins: { shop }, config: { database: { url: proxy.url } } })
const post = (path: string) =>
  server.request('POST', path, { body: {}, headers: { 'Idempotency-Key': `key-of${path}` } })
/** Repeats a request until the database is there again. */
const repeat = async (path: string) => {
  proxy.restore()
  let reply = await post(path)
  await eventually('the database is there', async () => {
    if (reply.status === 503) reply = await post(path)
    return reply.status !== 503
  })
  return reply
}
const unavailable = { status: 503, body: { error: { code: 'DATABASE_UNAVAILABLE' } } }
const unknown = {
  status: 409,
  body: { error: { code: 'IDEMPOTENCY_KEY_IN_USE', message: /unknown/, details: { outcome: 'unknown' } } },
}

t.test('a request that failed before its first write may be repeated with its key', async (t) => {
  t.match(await post('/before'), unavailable)
  t.match(await repeat('/before'), { status: 200, body: { round: 2 } })
  const again = await post('/before')
  t.match(again, { status: 200, body: { round: 2 } })
  t.equal(again.headers.get('idempotent-replayed'), 'true')
})

for (const path of ['/at', '/after'])
  t.test(`the outcome of a request that failed ${path.slice(1)} its first write is unknown`, async (t) => {
    t.match(await post(path), unavailable)
    for (const reply of [await repeat(path), await post(path)]) {
      t.match(reply, unknown)
      t.equal(reply.headers.get('retry-after'), null, 'as no repetition will succeed')
    }
    t.equal(counts[path], 1)
  })

t.test('a reply that could not be kept is sent, and kept later', async (t) => {
  t.match(await post('/answered'), { status: 200, body: { round: 1 } })
  const again = await repeat('/answered')
  t.match(again, { status: 200, body: { round: 1 } })
  t.equal(again.headers.get('idempotent-replayed'), 'true')
})

t.test('an outcome is unknown once the process of the request has ended', async (t) => {
  const kept = server.db.collection<{ _id: string; fingerprint: string }>('kept_replies')
  await kept.deleteMany({})
  await post('/before')
  const [row] = await kept.find().toArray()
  const process = { machine: 'elsewhere', pid: 1, launch: 'x' }
  const state = { reply: null, outcome: 'running', process }
  await kept.updateOne({ _id: row!._id }, { $set: state })
  const running = await post('/before')
  t.match(running, { status: 409, body: { error: { code: 'IDEMPOTENCY_KEY_IN_USE' } } })
  t.equal(running.headers.get('retry-after'), '1', 'another server may be at work')
  await kept.updateOne({ _id: row!._id }, { $set: { delete_at: new Date(Date.now() + 80_000_000) } })
  t.match(await post('/before'), unknown, 'but not for hours')
  await kept.updateOne({ _id: row!._id }, { $set: { process: thisProcess } })
  t.match(await post('/before'), unknown, 'this process has no such request')
})
