/** The time for which a count is trusted, in milliseconds. */
const RECOUNT_MS = 30_000

/** The most counts that are remembered, apart from those in use; the least recently used is dropped for one more. */
const MAX_TALLIES = 10_000

/** The number of things of one kind that an account has: counted now and then, and kept up to date by creations here. */
type Tally = ReturnType<typeof createTally>

function createTally(count: () => number | Promise<number>) {
  const creating = new Set<Promise<unknown>>()
  let used = 0
  let countedAt = Number.NEGATIVE_INFINITY
  let counting: Promise<void> | undefined

  const recount = (): Promise<void> => {
    counting ??= (async () => {
      // A creation under way may or may not be counted.
      await Promise.allSettled(creating)
      used = await count()
      countedAt = performance.now()
    })().finally(() => {
      counting = undefined
    })
    return counting
  }

  return {
    /** The number as it is known now. */
    get used(): number {
      return used
    },
    recount,
    /** Counts again unless the number was counted lately. */
    refresh: async (): Promise<void> => {
      await (performance.now() - countedAt > RECOUNT_MS ? recount() : counting)
    },
    /** Runs `create`, which counts as one more unless it fails. */
    add<Value>(create: () => Promise<Value>): Promise<Value> {
      used += 1
      const created = create().catch((error) => {
        used -= 1
        throw error
      })
      creating.add(created)
      return created.finally(() => creating.delete(created))
    },
  }
}

/** Tallies by key, of which at most `max` are kept beside those in use. */
export function createTallies(max = MAX_TALLIES) {
  // In the order in which they were last used.
  const tallies = new Map<string, { tally: Tally; uses: number }>()

  const makeRoom = () => {
    for (const [key, { uses }] of tallies) {
      if (tallies.size < max) return
      if (uses === 0) tallies.delete(key)
    }
  }

  return {
    /** Runs work with the tally of a key, which `count` counts. Calls for one key share a tally while they run. */
    async use<Value>(
      key: string,
      count: () => number | Promise<number>,
      work: (tally: Tally) => Promise<Value>,
    ): Promise<Value> {
      const entry = tallies.get(key) ?? { tally: createTally(count), uses: 0 }
      tallies.delete(key)
      makeRoom()
      tallies.set(key, entry)
      entry.uses += 1
      try {
        return await work(entry.tally)
      } finally {
        entry.uses -= 1
      }
    },
  }
}
