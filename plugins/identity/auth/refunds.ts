import { isUnavailable } from '#plugin-api'

/** Takes back counts of attempts that were not checked. */
export type Refunds = ReturnType<typeof createRefunds>

/** The most counts that wait for the database; further ones expire by themselves. */
const MAX_WAITING = 1000

/** Creates the refunds. */
export function createRefunds() {
  const waiting: (() => Promise<unknown>)[] = []
  let settling: Promise<void> | undefined

  const writeAll = async () => {
    for (let write = waiting[0]; write; write = waiting[0]) {
      await write()
      waiting.shift()
    }
  }

  return {
    /** Makes a write that takes back a count, or keeps it for `settle` if the database is unavailable. */
    async make(write: () => Promise<unknown>): Promise<void> {
      try {
        await write()
      } catch (error) {
        if (!isUnavailable(error)) throw error
        if (waiting.length < MAX_WAITING) waiting.push(write)
      }
    },

    /** Makes the writes that wait, before anything is counted that they belong to. */
    settle: (): Promise<void> => {
      if (waiting.length === 0) return Promise.resolve()
      settling ??= writeAll().finally(() => {
        settling = undefined
      })
      return settling
    },
  }
}
