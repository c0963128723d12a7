import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { joinEngine } from '../../engine/engine.ts'
import type { Declarations } from '../../kernel/contract/host.ts'
import { ensureIndexes } from '../../kernel/database/indexes.ts'
import { readBlueprint } from '../../kernel/loading/blueprint.ts'
import { root, type Test } from '../run/file-test.ts'
import { createProcessFolder, runtimeDirectory } from './home.ts'

type Collections = [string, Declarations['collections'] extends Map<string, infer Value> ? Value : never][]

/** The kernel's own collections, which no plugin declares. */
const KERNEL_COLLECTIONS = ['data_versions', 'leases', 'sealed_fields']
const INDEX_RECORDS = 'collection_indexes'

let pool: ReturnType<typeof createDatabasePool> | undefined

/**
 * Acquires an empty database on the embedded engine of this process, with the collections and indexes of all built-in
 * plugins; it is released when the test ends. A released database is emptied and reused, which costs a hundredth of
 * creating one.
 */
export async function acquireDatabase(t: Test): Promise<{ url: string; release(): Promise<void> }> {
  pool ??= createDatabasePool()
  const { acquire, empty } = await pool
  const { name, url } = await acquire()
  let released: Promise<void> | undefined
  const release = () => {
    released ??= empty(name)
    return released
  }
  t.teardown(release)
  return { url, release }
}

/** Returns the address of a database from `acquireDatabase`. */
export const createDatabaseUrl = async (t: Test): Promise<string> => (await acquireDatabase(t)).url

async function createDatabasePool() {
  const home = createProcessFolder('engine')
  const engine = await joinEngine({
    directory: join(home, 'db'),
    runtimeDirectory: runtimeDirectory(),
    log: { info() {}, warn() {}, error() {} },
  })
  root.teardown(() => engine.close())
  const client = new MongoClient(engine.uri)
  root.teardown(() => client.close())
  const { plugins } = await readBlueprint({ home, env: {} })
  const builtIn: Collections = plugins.flatMap(({ declarations }) => [...declarations.collections])
  const builtInNames = new Set([...KERNEL_COLLECTIONS, ...builtIn.map(([name]) => name)])
  /** Released databases, in the order in which they are reused. */
  const free: string[] = []
  let created = 0

  async function createDatabase(): Promise<string> {
    const name = `test-${++created}`
    await ensureIndexes(client.db(name), builtIn)
    return name
  }

  return {
    async acquire() {
      const name = free.shift() ?? (await createDatabase())
      return { name, url: engine.uri.replace('/?', `/${name}?`) }
    },
    /** Removes all data of a database and makes it free for the next test. */
    async empty(name: string) {
      const db = client.db(name)
      const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
      const ours = names.filter((name) => builtInNames.has(name))
      const others = names.filter((name) => !builtInNames.has(name))
      await Promise.all(
        others.filter((name) => name !== INDEX_RECORDS).map((other) => db.dropCollection(other)),
      )
      if (ours.length > 0)
        await client.bulkWrite(
          ours.map((collection) => ({
            namespace: `${name}.${collection}`,
            name: 'deleteMany' as const,
            filter: {},
          })),
          { ordered: false },
        )
      free.push(name)
    },
  }
}
