import { eventually } from '../../../plugin-api/testing/waiting.ts'
import t from '../../run/file-test.ts'
import { startDatabaseProxy } from '../../support/database-proxy.ts'
import { pluginSource } from '../../support/kernel.ts'
import { ADMIN, startServer } from '../../support/server.ts'

const proxy = await startDatabaseProxy(t)
const outage = { isNear: false, cut: () => proxy.cut() }
Object.assign(globalThis, { outage })

/** Loses the database between the count of a sign-in and its check. */
const saboteur = pluginSource(
  'saboteur',
  `host.collection('traces')
  host.extend('auth.second_factors', async (_, { collections: { traces } }) => {
    if (outage.isNear) outage.cut()
    await traces.findOne({})
    return 'not_needed'
  })`,
  "depends: ['auth'],",
)

const BURST = 20
const server = await startServer(t, {
  plugins: { saboteur },
  config: {
    database: { url: proxy.url },
    limits: { sign_ins_per_address: 3, requests_per_minute: 1, requests_burst: BURST },
    plugins: { auth: { login_max_attempts: 3 } },
  },
})
const signIn = () => server.request('POST', '/auth/login', { token: null, body: ADMIN })
const unavailable = { status: 503, body: { error: { code: 'DATABASE_UNAVAILABLE' } } }

t.test('sign-ins that an outage ended count against nobody', async (t) => {
  for (let round = 0; round < 4; round++) {
    outage.isNear = true
    t.match(await signIn(), unavailable, 'the password was not checked to the end')
    outage.isNear = false
    proxy.restore()
    await eventually('the database is there', async () => {
      const { status } = await server.request('GET', '/health/ready', { token: null })
      return status === 200
    })
  }
  t.match(await signIn(), { status: 200 })
  const { db } = server
  t.equal(await db.collection('login_attempts').countDocuments({ failures: { $gt: 0 } }), 0)
})

t.test('tokens that an outage kept from being checked count against nobody', async (t) => {
  const body = { name: 'robot', scopes: ['chat'] }
  const { body: key } = await server.request('POST', '/auth/api-keys', { body })
  proxy.cut()
  const requests = Array.from({ length: BURST + 2 }, () =>
    server.request('GET', '/agents', { token: key.key }),
  )
  for (const reply of await Promise.all(requests)) t.match(reply, unavailable)
  proxy.restore()
  await eventually('the database is there', async () => {
    const { status } = await server.request('GET', '/health/ready', { token: null })
    return status === 200
  })
  t.equal((await server.request('GET', '/agents', { token: 'wrong' })).status, 401, 'not 429')
  t.equal((await server.request('GET', '/agents', { token: key.key })).status, 200)
})
