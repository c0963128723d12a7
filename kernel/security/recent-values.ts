/** The age from which a value is read again, in milliseconds. */
const MAX_AGE_MS = 300

/** The most values that are remembered; the oldest is dropped for one more. */
const MAX_VALUES = 10_000

/** Values by key as they were stored at most 300 ms ago, unless another age is set. */
export interface RecentValues<Value> {
  /** Returns the value of a key, which is read unless it is remembered; undefined if it does not exist. */
  get(key: string): Promise<Value | undefined>
  /**
   * Drops the value of a key, or all of them. Call it after a write and before the write is acknowledged: a read that
   * began earlier is not returned to later callers.
   */
  drop(key?: string): void
}

/** Remembers the values that `read` returns for `maxAgeMs`; keys that are wanted at the same time are read together. */
export function createRecentValues<Value>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value | Promise<Value | undefined>>>,
  now: () => number = () => performance.now(),
  maxAgeMs = MAX_AGE_MS,
): RecentValues<Value> {
  // In the order in which they were asked for.
  const remembered = new Map<string, { askedAt: number; value: Promise<Value | undefined> }>()
  let batch: { keys: Set<string>; values: ReturnType<typeof read> } | undefined

  const readSoon = async (key: string): Promise<Value | undefined> => {
    batch ??= startBatch()
    batch.keys.add(key)
    return (await batch.values).get(key)
  }

  const startBatch = () => {
    const keys = new Set<string>()
    const values = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      batch = undefined
      return read([...keys])
    })
    return { keys, values }
  }

  /** Drops what is too old, or too much, for one more value. */
  const makeRoom = (time: number) => {
    for (const [key, { askedAt }] of remembered) {
      if (time - askedAt < maxAgeMs && remembered.size < MAX_VALUES) return
      remembered.delete(key)
    }
  }

  return {
    get(key) {
      const askedAt = now()
      const recent = remembered.get(key)
      if (recent && askedAt - recent.askedAt < maxAgeMs) return recent.value
      remembered.delete(key)
      makeRoom(askedAt)
      // Its age counts from before the read, which may take long.
      const fresh = { askedAt, value: readSoon(key) }
      remembered.set(key, fresh)
      const forget = () => {
        if (remembered.get(key) === fresh) remembered.delete(key)
      }
      fresh.value.then((value) => value === undefined && forget(), forget)
      return fresh.value
    },
    drop(key) {
      if (key === undefined) remembered.clear()
      else remembered.delete(key)
    },
  }
}
