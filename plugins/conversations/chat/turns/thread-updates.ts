import type { Collection, Document } from 'mongodb'
import { createGroupCommit, isUnavailable } from '#plugin-api'
import type { ThreadDocument } from '../documents.ts'

/** The first event of a turn makes its lease durable too, as both are written again if the database has died. */
const NOT_IN_JOURNAL = { writeConcern: { w: 1, journal: false } } as const

/**
 * Returns a function that updates a thread and returns what it is then, or null. Updates that wait at the same time share
 * two commands, as a command costs more than the update in it.
 */
export function createThreadUpdates(threads: Collection<ThreadDocument>) {
  interface ThreadUpdate {
    thread_id: string
    update: Document[]
    updated(thread: ThreadDocument | null): void
    failed(error: unknown): void
  }
  const perform = async (updates: readonly ThreadUpdate[]): Promise<(ThreadDocument | null)[]> => {
    const [first] = updates
    if (updates.length === 1)
      return [
        await threads.findOneAndUpdate({ _id: first!.thread_id }, first!.update, {
          returnDocument: 'after',
          ...NOT_IN_JOURNAL,
        }),
      ]
    await threads.bulkWrite(
      updates.map(({ thread_id, update }) => ({ updateOne: { filter: { _id: thread_id }, update } })),
      NOT_IN_JOURNAL,
    )
    const updated = await threads.find({ _id: { $in: updates.map(({ thread_id }) => thread_id) } }).toArray()
    const byId = new Map(updated.map((thread) => [thread._id, thread]))
    return updates.map(({ thread_id }) => byId.get(thread_id) ?? null)
  }
  const performAll = async (updates: readonly ThreadUpdate[]): Promise<void> => {
    try {
      const updated = await perform(updates)
      for (const [index, { updated: resolve }] of updates.entries()) resolve(updated[index]!)
    } catch (error) {
      if (updates.length === 1 || isUnavailable(error)) for (const { failed } of updates) failed(error)
      // One update must not prevent the others. Those that were made already have no effect again.
      else for (const update of updates) await performAll([update])
    }
  }
  const commits = createGroupCommit<ThreadUpdate>(performAll)
  return (thread_id: string, update: Document[]) =>
    new Promise<ThreadDocument | null>((updated, failed) =>
      commits.add({ thread_id, update, updated, failed }),
    )
}
