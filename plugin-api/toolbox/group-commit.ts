/** Keeps one write well below the database's limit for a message. */
const BATCH_LIMIT = 1000

/**
 * Creates a writer that writes together the items that arrive while a write is under way: no timer, batches grow with
 * the load. `write` gets one batch at a time, in order, and must not throw.
 */
export function createGroupCommit<Item>(write: (batch: Item[]) => Promise<void>) {
  let waiting: Item[] = []
  let writing: Promise<void> | undefined

  const writeAll = async () => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, BATCH_LIMIT)
      waiting = waiting.slice(BATCH_LIMIT)
      await write(batch)
    }
    writing = undefined
  }

  return {
    add(item: Item): void {
      waiting.push(item)
      // Items that arrive in the same tick are written together.
      writing ??= Promise.resolve().then(writeAll)
    },
    /** Resolves when no item is waiting or being written. */
    async idle(): Promise<void> {
      while (writing) await writing
    },
  }
}

/** A writer of items in batches. */
export type GroupCommit<Item> = ReturnType<typeof createGroupCommit<Item>>
