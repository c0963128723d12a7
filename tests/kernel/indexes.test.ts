import t from '../run/file-test.ts'
import { pluginSource, startKernel } from '../support/kernel.ts'
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
  const before = await timesAsked()
  await server.restart()
  t.equal(await timesAsked(), before, 'all indexes exist')

  const other = await startKernel(t, { config: { database }, plugins: { shelf: shelf(byTitle, byYear) } })
  t.equal(await timesAsked(), before + 1, 'one more index is declared')
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
