import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { untilTick } from '../../kernel/clock.ts'
import { openDatabase } from '../../kernel/database/database.ts'
import t from '../run/file-test.ts'
import { createFrozenClock } from '../support/clock.ts'
import { bareConfig, createHome, pluginSource, spawnServer, startKernel } from '../support/kernel.ts'
import { installPlugin, startServer, type TestServer } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

/** Carries events between the tests and their jobs. */
const bench = new EventEmitter()
Object.assign(globalThis, { bench })

const job = (name: string, every: number, run: string) =>
  `host.job({ name: '${name}', every_seconds: ${every}, run: async (cradle, signal) => { ${run} } })`

/** A plugin whose job records the server that runs it. */
const turner = (every: number) =>
  pluginSource(
    'turner',
    `host.collection('runs')
     ${job('turn', every, "await cradle.collections.runs.insertOne({ node: cradle.server.node_id }); globalThis.bench?.emit('turned', cradle.server.node_id)")}`,
  )

const getLeases = ({ db }: Pick<TestServer, 'db'>) =>
  db.collection<{ _id: string; holder: string; until: number }>('leases')

t.test('what has a period waits for its next multiple, unless that is very near', async (t) => {
  const waits = Array.from({ length: 1000 }, (_, n) => untilTick(n + 1) / (n + 1))
  t.strictSame(
    waits.filter((part) => part < 0.1 || part >= 1.1),
    [],
  )
})

t.test('a job runs at once and then repeatedly, with the services of its plugin', async (t) => {
  const plugins = {
    worker: pluginSource(
      'worker',
      `host.service('tool', () => 'hammer'); ${job('work', 0.02, "bench.emit('worked', cradle.tool)")}`,
    ),
  }
  const first = once(bench, 'worked')
  const server = await startKernel(t, { plugins })
  t.same(await first, ['hammer'])
  for (let n = 0; n < 3; n++) await once(bench, 'worked')
  t.match(await getLeases(server).findOne(), { _id: 'work', holder: server.server.runtime.facts.node_id })
  await server.stop()
  const again = await startServer(t, { home: server.home, signIn: false })
  await once(bench, 'worked')
  await again.stop()
})

t.test('many jobs start without a warning of Node.js', async (t) => {
  const warnings: string[] = []
  const note = ({ name }: Error) => void warnings.push(name)
  process.on('warning', note)
  t.teardown(() => process.off('warning', note))
  const run = "bench.emit('worked many')"
  const jobs = Array.from({ length: 12 }, (_, index) => job(`many.${index}`, 0.02, run)).join('; ')
  const server = await startKernel(t, { plugins: { worker: pluginSource('worker', jobs) } })
  for (let n = 0; n < 24; n++) await once(bench, 'worked many')
  await server.stop()
  t.same(warnings, [])
})

t.test('a job that fails is logged and runs again', async (t) => {
  const plugins = {
    worker: pluginSource(
      'worker',
      job(
        'work',
        0.02,
        "globalThis.tries = (globalThis.tries ?? 0) + 1; if (tries < 3) throw new Error('try ' + tries); bench.emit('worked')",
      ),
    ),
  }
  const worked = once(bench, 'worked')
  const server = await startKernel(t, { plugins })
  await worked
  const failures = server
    .logged()
    .split('\n')
    .filter((entry) => entry.includes('job failed'))
  t.match(
    failures.map((entry) => JSON.parse(entry)),
    [
      { level: 50, job: 'work', error: { message: 'try 1' } },
      { level: 50, job: 'work', error: { message: 'try 2' } },
    ],
  )
  t.equal(failures.length, 2)
})

t.test('one of two servers runs the job, and the other takes over when it has stopped', async (t) => {
  // With a frozen clock no lease expires, however slowly it is renewed.
  const clock = createFrozenClock()
  const one = await startKernel(t, { plugins: { turner: turner(0.05) }, clock })
  const node = one.server.runtime.facts.node_id
  const two = await startServer(t, { home: one.home, signIn: false, clock })
  const ran: string[] = []
  const note = (by: string) => ran.push(by)
  bench.on('turned', note)
  t.teardown(() => bench.off('turned', note))
  for (let n = 0; n < 5; n++) await once(bench, 'turned')
  t.same(new Set(ran), new Set([node]))
  const stopped = one.stop()
  while (ran.at(-1) === node) await once(bench, 'turned')
  t.equal(ran.at(-1), two.server.runtime.facts.node_id)
  await stopped
})

t.test('of jobs that come at the same time, those run whose leases no other server has', async (t) => {
  const url = await createDatabaseUrl(t)
  const home = createHome(t, bareConfig({ database: { url } }))
  const jobs = ['free.one', 'taken', 'free.two'].map((name) =>
    job(name, 0.05, `bench.emit('ran', '${name}')`),
  )
  installPlugin(home, 'worker', pluginSource('worker', jobs.join('; ')))
  const clock = createFrozenClock()
  const database = await openDatabase({ url, home, log: pino({ enabled: false }) })
  t.teardown(() => database.close())
  const taken = { _id: 'taken', holder: 'another server', until: clock.now() + 1000 }
  await getLeases(database).insertOne(taken)
  const ran = new Set<string>()
  const note = (name: string) => ran.add(name)
  bench.on('ran', note)
  t.teardown(() => bench.off('ran', note))
  await startServer(t, { home, signIn: false, clock })
  for (let n = 0; n < 6; n++) await once(bench, 'ran')
  t.strictSame([...ran].sort(), ['free.one', 'free.two'])
  t.strictSame(await getLeases(database).findOne({ _id: 'taken' }), taken)
  clock.advance(2)
  while (!ran.has('taken')) await once(bench, 'ran')
})

t.test('a job is taken over when the server that ran it was killed', async (t) => {
  const url = await createDatabaseUrl(t)
  const home = createHome(t, bareConfig({ database: { url } }))
  installPlugin(home, 'turner', turner(0.05))
  const clock = createFrozenClock()
  const { child, ended } = await spawnServer(t, home)
  const database = await openDatabase({ url, home, log: pino({ enabled: false }) })
  t.teardown(() => database.close())
  while ((await getLeases(database).findOne({ _id: 'turn' }))?.holder === undefined) await sleep(10)
  const server = await startServer(t, { home, signIn: false, clock })
  const node = server.server.runtime.facts.node_id
  t.not((await getLeases(server).findOne({ _id: 'turn' }))?.holder, node)
  t.notOk(await server.db.collection('runs').findOne({ node }))
  const taken = once(bench, 'turned')
  child.kill('SIGKILL')
  await ended
  clock.advance(60)
  t.same(await taken, [node])
  t.match(await getLeases(server).findOne({ _id: 'turn' }), { holder: node })
})

t.test('a job that runs for longer than its lease renews the lease', async (t) => {
  const home = createHome(t, bareConfig({ database: { url: await createDatabaseUrl(t) } }))
  const run = `bench.emit('begun', cradle.server.node_id)
    await new Promise((resolve) => { bench.once('finish', resolve); signal.addEventListener('abort', resolve) })`
  installPlugin(home, 'worker', pluginSource('worker', job('long', 0.05, run)))
  let begun = 0
  const count = () => begun++
  bench.on('begun', count)
  t.teardown(() => bench.off('begun', count))
  const first = once(bench, 'begun')
  const one = await startServer(t, { home, signIn: false })
  await first
  const { until } = (await getLeases(one).findOne({ _id: 'long' }))!
  const renewed = async (ms: number) => {
    while ((await getLeases(one).findOne({ _id: 'long' }))!.until < until + ms) await sleep(10)
  }
  await renewed(100)
  // For this server the lease would have expired without the renewal.
  await startServer(t, { home, signIn: false, clock: createFrozenClock(until + 1) })
  await renewed(500)
  t.match(await getLeases(one).findOne({ _id: 'long' }), { holder: one.server.runtime.facts.node_id })
  t.equal(begun, 1)
  bench.emit('finish')
  await once(bench, 'begun')
})

t.test('a stop aborts the running job, waits for it and releases its lease', async (t) => {
  const plugins = {
    heeding: pluginSource(
      'heeding',
      job(
        'heed',
        60,
        "bench.emit('heeding'); await new Promise((resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted by the stop'))))",
      ),
    ),
    finishing: pluginSource(
      'finishing',
      job(
        'finish',
        60,
        "bench.emit('finishing'); await new Promise((resolve) => signal.addEventListener('abort', resolve)); await new Promise(setImmediate); bench.emit('finished')",
      ),
    ),
  }
  const begun = Promise.all([once(bench, 'heeding'), once(bench, 'finishing')])
  const server = await startKernel(t, { plugins })
  await begun
  const other = await startServer(t, { home: server.home, signIn: false })
  t.equal(await getLeases(other).countDocuments(), 2)
  let finished = false
  bench.once('finished', () => {
    finished = true
  })
  await server.stop()
  t.ok(finished)
  t.notMatch(server.logged(), /aborted by the stop|job failed/, 'a requested abort is not a failure')
  t.same(await getLeases(other).find({ holder: server.server.runtime.facts.node_id }).toArray(), [])
})
