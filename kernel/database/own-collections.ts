import { AsyncLocalStorage } from 'node:async_hooks'
import type { Collection } from 'mongodb'
import { askForNearest } from '../nearest-name.ts'
import type { Database } from './database.ts'

const watches = new AsyncLocalStorage<{ hasWritten: boolean }>()

/** Creates a watch over the writes of a piece of work. */
export function watchWrites() {
  const state = { hasWritten: false }
  return {
    run: <Result>(work: () => Promise<Result>): Promise<Result> => watches.run(state, work),
    /** True once the work has begun to write to the database. */
    hasWritten: () => state.hasWritten,
  }
}

/** Notes a write of the running work, for code that writes past the methods of a collection. */
export function noteWrite(): void {
  const state = watches.getStore()
  if (state) state.hasWritten = true
}

/** The methods of a collection that write. */
export const WRITING_METHODS = [
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'findOneAndUpdate',
  'findOneAndReplace',
  'findOneAndDelete',
  'bulkWrite',
] as const

type Method = (...args: unknown[]) => unknown

let notingMethods: Record<string, Method> | undefined

/** Makes the methods of a collection note that they write. */
function noteWritesOf(collection: Collection): Collection {
  const methods = collection as unknown as Record<string, Method>
  notingMethods ??= Object.fromEntries(
    WRITING_METHODS.map((name) => {
      const write = methods[name]!
      const noting: Method = function (this: unknown, ...args) {
        noteWrite()
        return Reflect.apply(write, this, args)
      }
      return [name, noting]
    }),
  )
  return Object.assign(collection, notingMethods)
}

/** Returns the collections that a plugin declared; reading another one, or any without a database, throws. */
export const ownCollections = (
  plugin: string,
  declared: ReadonlyMap<string, unknown>,
  database: Database | undefined,
): object =>
  new Proxy(Object.create(null), {
    get(_, name) {
      if (typeof name === 'symbol') return undefined
      if (!declared.has(name))
        throw new Error(
          `plugin "${plugin}" asks for the collection "${name}", which it does not own${askForNearest(name, declared.keys())}`,
        )
      if (!database)
        throw new Error(
          `plugin "${plugin}" asks for the collection "${name}" in a command without a database`,
        )
      return noteWritesOf(database.db.collection(name))
    },
  })
