import { EventEmitter, once } from 'node:events'
import { pino } from 'pino'
import { openDatabase } from '../../kernel/database/database.ts'
import { type DataVersion, type MigratedPart, migrateData } from '../../kernel/database/migrations.ts'
import t from '../run/file-test.ts'
import { createTestClock } from '../support/clock.ts'
import { bareConfig, createHome, pluginSource, startKernel } from '../support/kernel.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

/** Carries events between the tests and their migrations. */
const bench = new EventEmitter()
Object.assign(globalThis, { migrationBench: bench })

const shelf = (...migrations: string[]) =>
  pluginSource(
    'shelf',
    `host.collection('books');
     ${migrations.map((run, index) => `host.migration({ number: ${index + 1}, summary: 'Change books', run: async (cradle, resume) => { ${run} } })`).join(';')}`,
  )
const addYear =
  "await cradle.collections.books.updateMany({}, { $inc: { year: 1 } }); migrationBench.emit('year')"
const failOnce = `await cradle.collections.books.updateMany({}, { $inc: { tries: 1 } })
  if (resume.progress === undefined) { await resume.save({ at: 1 }); throw new Error('the power fails') }
  migrationBench.emit('resumed', resume.progress)`

type Book = { _id: number; year?: number; tries?: number }
type Named = { _id: string; version: number }

t.test('migrations of a plugin run once, in order, and one that failed is resumed', async (t) => {
  const database = { url: await createDatabaseUrl(t) }
  const empty = await startKernel(t, { config: { database }, plugins: { shelf: shelf() } })
  const versions = empty.db.collection<Named>('data_versions')
  t.match(await versions.findOne({ _id: 'server' }), { version: 1 })
  t.equal(await versions.findOne({ _id: 'shelf' }), null)
  const books = empty.db.collection<Book>('books')
  await books.insertOne({ _id: 1 })

  const resumed = once(bench, 'resumed')
  const begin = (...migrations: string[]) =>
    startKernel(t, { config: { database }, plugins: { shelf: shelf(...migrations) } })
  await t.rejects(begin(addYear, failOnce), { message: 'the power fails' })
  t.match(await books.findOne(), { year: 1, tries: 1 })
  t.match(await versions.findOne({ _id: 'shelf' }), { version: 1, progress: { at: 1 } })
  await begin(addYear, failOnce)
  t.same(await resumed, [{ at: 1 }])
  t.match(await books.findOne(), { year: 1, tries: 2 })
  t.strictSame(await versions.findOne({ _id: 'shelf' }), { _id: 'shelf', version: 2 } as Named)
  await begin(addYear, failOnce)
  t.match(await books.findOne(), { year: 1, tries: 2 })

  await t.rejects(begin(addYear), {
    message: /^the data of "shelf" has version 2, and this server knows versions up to 1: run the version/,
  })
  await versions.updateOne({ _id: 'server' }, { $set: { version: 9 } })
  await t.rejects(begin(addYear, failOnce), { message: /^the data of "server" has version 9/ })
  await versions.updateOne({ _id: 'server' }, { $set: { version: 0 } })
  await begin(addYear, failOnce)
  t.match(await versions.findOne({ _id: 'server' }), { version: 1 })
})

t.test('a plugin without data has the last version at once', async (t) => {
  const server = await startKernel(t, { plugins: { shelf: shelf(addYear, failOnce) } })
  const versions = server.db.collection<Named>('data_versions')
  t.match(await versions.findOne({ _id: 'shelf' }), { version: 2 })
})

t.test('a migration with a wrong form or number is refused', async (t) => {
  const wrong = (name: string, migration: string) => pluginSource(name, `host.migration(${migration})`)
  const server = await startKernel(t, {
    plugins: {
      gap: wrong('gap', "{ number: 2, summary: 'Skip', run() {} }"),
      zero: wrong('zero', "{ number: 0, summary: 'None', run() {} }"),
    },
  })
  const { failed } = server.server.runtime
  t.equal(failed.get('gap'), 'failed to load: its migration 2 must have the number 1')
  t.equal(failed.get('zero'), 'failed to load: migration 0 is not valid: /number must be >= 1')
})

t.test('migrations run in one process at a time, which must keep their lease', async (t) => {
  const home = createHome(t, bareConfig())
  const log = pino({ level: 'silent' })
  const database = await openDatabase({ url: await createDatabaseUrl(t), home, log })
  t.teardown(() => database.close())
  const { db } = database
  await db.collection<Book>('books').insertOne({ _id: 1 })
  const clock = createTestClock()
  let runs = 0
  const part = (run: MigratedPart['migrations'][number]['run']): MigratedPart => ({
    name: 'shelf',
    collections: ['books'],
    cradle: {},
    migrations: [{ number: 1, summary: 'Change books', run }],
  })
  const migrate = (holder: string, run: MigratedPart['migrations'][number]['run'], leaseMs?: number) =>
    migrateData(db, { parts: [part(run)], holder, clock, log, leaseMs })
  const count = () => void runs++
  const leases = db.collection<{ _id: string; holder: string }>('leases')
  const loseLease: MigratedPart['migrations'][number]['run'] = async (_, { save }) => {
    await leases.updateOne({}, { $set: { holder: 'two', until: clock.now() + 1e6 } })
    await once(bench, 'renewal failed')
    await save(1)
  }
  const stolen = migrate('one', loseLease, 30)
  const messages: string[] = []
  log.error = (_: object, message?: string) => {
    messages.push(message!)
    bench.emit('renewal failed')
  }
  await t.rejects(stolen, { message: 'another process has taken the migrations over' })
  t.equal(messages[0], 'the lease of the migrations could not be renewed')

  await leases.deleteMany({})
  await Promise.all([migrate('one', count), migrate('two', count), migrate('three', count)])
  t.equal(runs, 1)
  t.match(await db.collection<DataVersion>('data_versions').findOne({ _id: 'shelf' }), { version: 1 })
})
