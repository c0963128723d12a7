import t from '../run/file-test.ts'
import { createTestClock } from '../support/clock.ts'
import { bareConfig, createHome, pluginSource, startKernel } from '../support/kernel.ts'

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
