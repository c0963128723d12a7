import t from '../run/file-test.ts'
import { pluginSource, startKernel } from '../support/kernel.ts'
import type { TestServer } from '../support/server.ts'
import { createDatabaseUrl } from '../support/test-engine.ts'

const shelf = (...indexes: object[]) =>
  pluginSource('shelf', `host.collection('books', { indexes: ${JSON.stringify(indexes)} })`)
const byTitle = { key: { title: 1 }, unique: true }
const byYear = { key: { year: 1 } }

const booksOf = ({ db }: TestServer) => db.collection('books')
const namesOf = async (server: TestServer) =>
  (await booksOf(server).listIndexes().toArray()).map(({ name }) => name).sort()

t.test('a start asks for the indexes of a collection only if they are not as declared', async (t) => {
  const database = { url: await createDatabaseUrl(t) }
  const server = await startKernel(t, { config: { database }, plugins: { shelf: shelf(byTitle) } })
  t.strictSame(await namesOf(server), ['_id_', 'title_1'])
  const timesAsked = async (): Promise<number> =>
    (await server.db.command({ serverStatus: 1 })).metrics.commands.createIndexes.total
  const before = await timesAsked()
  await server.restart()
  t.equal(await timesAsked(), before, 'all are there')

  const other = await startKernel(t, { config: { database }, plugins: { shelf: shelf(byTitle, byYear) } })
  t.equal(await timesAsked(), before + 1, 'one more is declared')
  t.strictSame(await namesOf(other), ['_id_', 'title_1', 'year_1'])
})

t.test('the indexes of a collection that was dropped are made again', async (t) => {
  const server = await startKernel(t, { plugins: { shelf: shelf(byTitle) } })
  await booksOf(server).drop()
  await server.restart()
  t.strictSame(await namesOf(server), ['_id_', 'title_1'])
  await booksOf(server).drop()
  await booksOf(server).insertOne({ title: 'made anew by a write, without indexes' })
  await server.restart()
  t.strictSame(await namesOf(server), ['_id_', 'title_1'])
})
