import type { Database } from './database.ts'
import { noteWritesOf } from './write-watch.ts'

/** Returns the collections that a plugin declared; reading another one, or any without a database, throws. */
export const ownCollections = (
  plugin: string,
  declared: { has(name: string): boolean },
  database: Database | undefined,
): object =>
  new Proxy(Object.create(null), {
    get(_, name) {
      if (typeof name === 'symbol') return undefined
      if (!declared.has(name))
        throw new Error(`plugin "${plugin}" asks for the collection "${name}", which it does not own`)
      if (!database)
        throw new Error(
          `plugin "${plugin}" asks for the collection "${name}" in a command without a database`,
        )
      return noteWritesOf(database.db.collection(name))
    },
  })
