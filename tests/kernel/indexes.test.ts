import t from '../run/file-test.ts'
import { createTestClock } from '../support/clock.ts'
import { bareConfig, createHome, pluginSource, startKernel } from '../support/kernel.ts'
import type { TestServer } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

const shelf = (...indexes: object[]) =>
  pluginSource('shelf', `host.collection('books', { indexes: ${JSON.stringify(indexes)} })`)
const byTitle = { key: { title: 1 }, unique: true }
const byYear = { key: { year: 1 } }

const getBooks = ({ db }: TestServer) => db.collection('books')
const listIndexNames = async (server: TestServer) =>
  (await getBooks(server).listIndexes().toArray()).map(({ name }) => name).sort()

t.test('a start creates the indexes of a collection only if they differ from the declaration', async (t) => {
  const database = { url: await createDatabaseUrl(t) }
  const server = await startKernel(t, { config: { database }, plugins: { shelf: shelf(byTitle) } })
  t.strictSame(await listIndexNames(server), ['_id_', 'title_1'])
  const timesAsked = async (): Promise<number> =>
    (await server.db.command({ serverStatus: 1 })).metrics.commands.createIndexes.total
  const asksAtFirst = await timesAsked()
  await server.restart()
  t.equal(await timesAsked(), asksAtFirst, 'all indexes exist')

  const other = await startKernel(t, { config: { database }, plugins: { shelf: shelf(byTitle, byYear) } })
  t.equal(await timesAsked(), asksAtFirst + 1, 'one more index is declared')
  t.strictSame(await listIndexNames(other), ['_id_', 'title_1', 'year_1'])
})

t.test('the indexes of a dropped collection are created again', async (t) => {
  const server = await startKernel(t, { plugins: { shelf: shelf(byTitle) } })
  await getBooks(server).drop()
  await server.restart()
  t.strictSame(await listIndexNames(server), ['_id_', 'title_1'])
  await getBooks(server).drop()
  await getBooks(server).insertOne({ title: 'this write creates the collection without indexes' })
  await server.restart()
  t.strictSame(await listIndexNames(server), ['_id_', 'title_1'])
})

const larder = pluginSource(
  'larder',
  `host.collection('jars', { indexes: [{ key: { name: 1 } }, { key: { opened_at: 1 }, expireAfterSeconds: 60 }] })`,
)

t.test('only rows that a TTL index has expired are removed', async (t) => {
  const clock = createTestClock()
  // With a home of its own the server runs its own engine; expiry on the embedded engine is what is tested.
  const home = createHome(t, bareConfig())
  const server = await startKernel(t, { home, plugins: { larder }, clock })
  const opened = (seconds: number) => new Date(clock.now() + seconds * 1000)
  await server.db
    .collection('jars')
    .insertMany([
      { name: 'old', opened_at: opened(0) },
      { name: 'new', opened_at: opened(120) },
      { name: 'closed' },
    ])
  clock.advance(90)
  await server.restart()
  const left = async () => {
    const jars = await server.db.collection('jars').find().sort({ name: 1 }).toArray()
    return jars.map(({ name }) => name)
  }
  while ((await left()).includes('old')) await new Promise((resolve) => setTimeout(resolve, 20))
  t.strictSame(await left(), ['closed', 'new'])
})
