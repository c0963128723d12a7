import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import root, { type Test } from 'tap'
import { readBlueprint } from '../../kernel/blueprint.ts'
import { joinEngine } from '../../kernel/database/engine.ts'
import { ensureIndexes } from '../../kernel/database/indexes.ts'
import type { Declarations } from '../../kernel/host.ts'
import { createProcessFolder, runtimeDirectory } from './home.ts'

type Collections = [string, Declarations['collections'] extends Map<string, infer Value> ? Value : never][]

/** Collections of the kernel, which no plugin declares. */
const KERNEL_COLLECTIONS = ['leases', 'sealed_fields']
const INDEX_RECORDS = 'collection_indexes'

let lender: ReturnType<typeof openLender> | undefined

/** A database that a test may use until it gives it back or ends. */
export interface LentDatabase {
  url: string
  giveBack(): Promise<void>
}

/**
 * Lends an empty database on the embedded engine of this process, with the collections and indexes of all built-in
 * plugins. Given back it is emptied and lent again, which costs a hundredth of making one.
 */
export async function lendDatabase(t: Test): Promise<LentDatabase> {
  lender ??= openLender()
  const { lend, takeBack } = await lender
  const { name, url } = await lend()
  let givenBack: Promise<void> | undefined
  const giveBack = () => {
    givenBack ??= takeBack(name)
    return givenBack
  }
  t.teardown(giveBack)
  return { url, giveBack }
}

/** The address of a database from `lendDatabase` that is given back when the test ends. */
export const createDatabaseUrl = async (t: Test): Promise<string> => (await lendDatabase(t)).url

async function openLender() {
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
  const kept = new Set([...KERNEL_COLLECTIONS, ...builtIn.map(([name]) => name)])
  /** The database that was taken back first is lent first. */
  const free: string[] = []
  let made = 0

  async function make(): Promise<string> {
    const name = `test-${++made}`
    await ensureIndexes(client.db(name), builtIn)
    return name
  }

  const addressed = (name: string) => ({ name, url: engine.uri.replace('/?', `/${name}?`) })

  return {
    lend: async () => addressed(free.shift() ?? (await make())),
    async takeBack(name: string) {
      const db = client.db(name)
      const found = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
      const [ours, others] = [found.filter((name) => kept.has(name)), found.filter((name) => !kept.has(name))]
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
