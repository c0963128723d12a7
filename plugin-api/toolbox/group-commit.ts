/** Writes together the items that arrive while a write is under way: no timer, batches grow with the load. */
export interface GroupCommit<Item> {
  add(item: Item): void
  /** Resolves when no item is waiting or being written. */
  idle(): Promise<void>
}

/** Keeps one write well below the database's limit for a message. */
const BATCH_LIMIT = 1000

/** Makes a group commit over `write`, which gets one batch at a time, in order, and must not throw. */
export function createGroupCommit<Item>(write: (batch: Item[]) => Promise<void>): GroupCommit<Item> {
  let waiting: Item[] = []
  let writing: Promise<void> | undefined

  const writeAll = async () => {
    // Items that arrive in the same tick are written together.
    await undefined
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_LIMIT)
      waiting = waiting.slice(BATCH_LIMIT)
      await write(batch)
    }
    writing = undefined
  }

  return {
    add(item) {
      waiting.push(item)
      writing ??= writeAll()
    },
    async idle() {
      while (writing) await writing
    },
  }
}
