import { AsyncLocalStorage } from 'node:async_hooks'
import type { Collection } from 'mongodb'

/** Notes if a piece of work has begun to write to the database. */
export interface WriteWatch {
  run<Result>(work: () => Promise<Result>): Promise<Result>
  hasWritten(): boolean
}

const watches = new AsyncLocalStorage<{ hasWritten: boolean }>()

/** Creates a watch over the writes of a piece of work. */
export function watchWrites(): WriteWatch {
  const state = { hasWritten: false }
  return {
    run: (work) => watches.run(state, work),
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
export function noteWritesOf(collection: Collection): Collection {
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
