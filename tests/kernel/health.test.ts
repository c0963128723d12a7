import { setTimeout as pause } from 'node:timers/promises'
import t from '../run/file-test.ts'
import { startDatabaseProxy } from '../support/database-proxy.ts'
import {
  bareConfig,
  createHome,
  pluginSource,
  routeSource,
  runCommand,
  startKernel,
} from '../support/kernel.ts'

// Two tests wait for a timeout of the driver, so they run in parallel.
t.jobs = 2

const moods: Record<string, boolean> = { well: true }
Object.assign(globalThis, { moods })

t.test('health reports the state of the server, its plugins and its database', async (t) => {
  const plugins = {
    steady: pluginSource('steady', 'host.health(() => {})'),
    moody: pluginSource(
      'moody',
      "host.service('mood', () => moods); host.health(async ({ mood }) => { if (!mood.well) throw new Error('feels ill') })",
    ),
  }
  const server = await startKernel(t, { plugins })
  const { status, body } = await server.request('GET', '/health', { token: null })
  t.equal(status, 200)
  t.match(body, {
    status: 'ok',
    version: server.server.runtime.facts.version,
    commit: /^[0-9a-f]{8,}(-dirty)?$/,
    started_at: server.server.runtime.facts.started_at,
    plugins: { steady: 'ok', moody: 'ok' },
    database: { ok: true, latency_ms: Number },
  })
  t.ok(body.database.latency_ms > 0)

  moods.well = false
  t.match(await server.request('GET', '/health'), {
    status: 200,
    body: { status: 'degraded', plugins: { steady: 'ok', moody: 'failed' } },
  })
  t.match(server.logged(), /feels ill.*plugin is not healthy/)
  t.match(await server.request('GET', '/health/live'), { status: 200, body: { status: 'ok' } })
})

t.test(
  'requests fail with DATABASE_UNAVAILABLE while the database is unreachable, and succeed afterwards',
  { buffered: true },
  async (t) => {
    const database = await startDatabaseProxy(t)
    const plugins = {
      rows: pluginSource(
        'rows',
        `host.collection('rows', { indexes: [{ key: { n: 1 } }] })
       host.routes([
         ${routeSource('/count', 'cradle.collections.rows.countDocuments()')},
         ...['insertOne', 'insertMany'].map((write) => ({
           method: 'POST', path: '/' + write, summary: 's', guard: 'public', audit: { none: 'a test' }, response: { 204: null },
           handler: async (request, { collections }) =>
             void await collections.rows[write](write === 'insertOne' ? { n: 1 } : [{ n: 1 }, { n: 2 }]),
         })),
       ])
       host.job({ name: 'rows', every_seconds: 0.05, run() {} })`,
        "stop() { process.emit('rows stopped') },",
      ),
    }
    const server = await startKernel(t, { plugins, env: { SVC_DATABASE_URL: database.url } })
    t.equal(server.db.databaseName, new URL(database.url).pathname.slice(1))
    t.equal((await server.request('POST', '/insertOne')).status, 204)

    const held = database.hold()
    const writing = ['/insertOne', '/insertMany'].map((path) => server.request('POST', path))
    await held
    database.cut()
    for (const refused of await Promise.all(writing)) {
      t.equal(refused.status, 503)
      const { error } = refused.body
      t.match(error, {
        code: 'DATABASE_UNAVAILABLE',
        message: 'The database is unavailable. Try again in a moment.',
      })
      t.notMatch(JSON.stringify(error), /127\.0\.0\.1|mongo/i)
      t.equal(refused.headers.get('connection'), 'close')
    }

    const [health, ready, live, read] = await Promise.all([
      server.request('GET', '/health'),
      server.request('GET', '/health/ready'),
      server.request('GET', '/health/live'),
      server.request('GET', '/count'),
    ])
    t.match(health, {
      status: 503,
      body: { status: 'failed', plugins: {}, database: { ok: false, latency_ms: null } },
    })
    t.match(ready, { status: 503, body: { status: 'failed' } })
    t.equal(live.status, 200)
    t.match(read, { status: 503, body: { error: { code: 'DATABASE_UNAVAILABLE' } } })
    t.match(server.logged(), /database is unavailable/)
    while (!server.logged().includes('job failed')) await pause(10)

    database.release()
    database.restore()
    while ((await server.request('GET', '/health')).status !== 200) await pause(10)
    t.equal((await server.request('POST', '/insertOne')).status, 204)

    database.cut()
    let stopped = false
    process.once('rows stopped', () => {
      stopped = true
    })
    await server.stop()
    t.ok(stopped, 'plugins are stopped without the database')
    t.match(server.logged(), /the jobs failed to stop/)
    database.restore()
  },
)

t.test(
  'a server does not start without its database and reports the reason',
  { buffered: true },
  async (t) => {
    const database = await startDatabaseProxy(t)
    database.cut()
    const { code, stderr, stdout } = await runCommand(createHome(t, bareConfig()), ['serve'], {
      env: { SVC_DATABASE_URL: database.url, SVC_PORT: '0', SVC_LOG_LEVEL: 'silent' },
    })
    t.equal(code, 1)
    t.equal(stdout, '')
    t.match(stderr, /^svc: the MongoDB server at 127\.0\.0\.1:\d+ cannot be reached: [^\n]+\n$/)
  },
)
