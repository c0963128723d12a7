import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from '../../run/file-test.ts'
import { amount, onlyLong } from '../../run/tier.ts'
import { startDatabaseProxy } from '../../support/database-proxy.ts'
import { createHome } from '../../support/home.ts'
import { startServer } from '../../support/server.ts'
import { assertOnce, buy, logOf, rowsOf, run, startShop } from './audit-shop.ts'

const range = (count: number) => [...Array(count).keys()]
/** The number of simultaneous calls. */
const CALLS = amount({ short: 16, long: 400 })
const EMBEDDED = !process.env.SVC_TEST_DATABASE_URL

const proxy = await startDatabaseProxy(t)
const behind = { env: { SVC_DATABASE_URL: proxy.url } }
const server = await startShop(t, behind)

t.test(`${CALLS} simultaneous calls have one row each in one intact chain`, async (t) => {
  const calls = range(CALLS).map((n) => `call-${n}`)
  t.same(new Set(await Promise.all(calls.map((id) => buy(server, id)))), new Set([204]))
  await assertOnce(t, server, calls)
})

t.test('Two servers and commands that write at once keep one intact chain', { skip: onlyLong }, async (t) => {
  const shop = await startShop(t)
  const second = await startServer(t, { home: shop.home })
  const calls = range(CALLS).map((n) => `own-${n}`)
  const writing = [shop, second].map(async (server, index) => {
    // Some in sequence, so that the two servers extend the chain alternately, and some at once.
    const own = calls.filter((_, n) => n % 2 === index)
    for (const id of own.slice(0, own.length / 2)) t.equal(await buy(server, id), 204)
    await Promise.all(own.slice(own.length / 2).map((id) => buy(server, id)))
  })
  const stamps = range(2).map((n) => run(shop, 'shop', 'stamp', `stamp-${n}`))
  await Promise.all([...writing, ...stamps])
  await assertOnce(t, shop, calls)
  const stamped = (await rowsOf(shop)).filter(({ action }) => action === 'shop.stamp')
  t.same(stamped.map(({ target }) => target).sort(), ['stamp-0', 'stamp-1'])
})

t.test(
  'Each answered call has one row even if the database engine is killed',
  { skip: !EMBEDDED || onlyLong },
  async (t) => {
    const first = await startShop(t, { home: createHome(t) })
    const second = await startServer(t, { home: first.home })
    const answered: string[] = []
    const heard = new EventEmitter()
    let writing = true
    const clients = range(8).map(async (client) => {
      for (let n = 0; writing; n += 1) {
        const id = `${client}-${n}`
        // A call that may be refused while the database is unavailable, and one that does not use the database itself.
        const server = client % 2 ? first : second
        if (client < 6) t.equal(await buy(server, id), 204)
        else await server.request('DELETE', '/shop', { headers: { 'x-request-id': id } })
        answered.push(id)
        heard.emit('answer')
      }
    })
    const answer = async (count: number) => {
      const earlierCount = answered.length
      while (answered.length < earlierCount + count) await once(heard, 'answer')
      while ((await first.request('GET', '/health')).status !== 200) await pause(50)
    }
    for (const round of range(6)) {
      await answer(20 + round)
      const { pid } = JSON.parse(readFileSync(join(first.home, 'db', 'engine.json'), 'utf8'))
      process.kill(pid, 'SIGKILL')
    }
    await answer(40)
    writing = false
    await Promise.all(clients)
    t.notMatch(first.logged() + second.logged(), /could not be stored/)
    await assertOnce(t, first, answered)
  },
)

t.test('A row is stored once even if the reply to its write is lost', async (t) => {
  const calls = range(amount({ short: 3, long: 30 })).map((n) => `cut-${n}`)
  for (const id of calls) {
    const held = proxy.hold()
    // Its handler does not use the database, so the delayed reply is that of the row's write.
    const call = buy(server, id)
    await held
    proxy.cut()
    proxy.release()
    proxy.restore()
    t.equal(await call, 204)
  }
  const rows = await logOf(server).find().sort({ _id: 1 }).toArray()
  t.same(
    rows.flatMap(({ request_id }) => (calls.includes(request_id!) ? [request_id] : [])),
    calls,
  )
  t.match(await server.server.runtime.cradleOf('audit').auditVerification.verify(), { whole: true })
})

t.test(
  'A row whose number was taken gets the next one, however slow the reply was',
  { skip: onlyLong },
  async (t) => {
    const second = await startServer(t, { home: server.home, ...behind })
    t.equal(await buy(server, 'before'), 204)
    t.equal(await buy(second, 'taken'), 204)
    const held = proxy.hold()
    const late = buy(server, 'late')
    await held
    // Longer than any retry.
    await pause(5500)
    proxy.release()
    t.equal(await late, 204)
    const bought = (await rowsOf(server)).filter(({ action }) => action === 'shop.buy')
    t.same(
      bought.slice(-3).map(({ request_id }) => request_id),
      ['before', 'taken', 'late'],
    )
    t.match(await server.server.runtime.cradleOf('audit').auditVerification.verify(), { whole: true })
  },
)

t.test('A row is stored even if others are faster again and again', { skip: onlyLong }, async (t) => {
  const env = { SVC_DATABASE_URL: proxy.directUrl }
  const faster = await startServer(t, { home: server.home, env })
  const taken: string[] = []
  proxy.precede('thwarted', async () => {
    // Together longer than any retry.
    if (taken.length === 12) return
    await pause(500)
    taken.push(`faster-${taken.length}`)
    t.equal(await buy(faster, taken.at(-1)!), 204)
  })
  t.equal(await buy(server, 'thwarted'), 204)
  const bought = (await rowsOf(server)).map(({ request_id }) => request_id)
  t.same(bought.slice(-13), [...taken, 'thwarted'])
  t.match(await server.server.runtime.cradleOf('audit').auditVerification.verify(), { whole: true })
})

t.test('A call whose row cannot be stored is refused, and the row is in the log of the server', async (t) => {
  proxy.cut()
  const headers = { 'x-request-id': 'lost-1' }
  const { status, body } = await server.request('POST', '/shop', { headers, body: { name: 'canary' } })
  t.match({ status, code: body.error.code }, { status: 503, code: 'DATABASE_UNAVAILABLE' })
  proxy.restore()
  const line = server
    .logged()
    .split('\n')
    .find((text) => text.includes('could not be stored'))
  t.match(JSON.parse(line!), {
    level: 50,
    plugin: 'audit',
    row: {
      action: 'shop.buy',
      request_id: 'lost-1',
      status: 204,
      payload: { name: 'canary' },
      ip: '127.0.0.1',
    },
  })
  while ((await server.request('GET', '/health')).status !== 200) await pause(50)
  t.equal(await buy(server, 'later'), 204)
  const { whole, rows } = await server.server.runtime.cradleOf('audit').auditVerification.verify()
  t.equal(whole, true)
  t.equal(rows, (await rowsOf(server)).length)
})
