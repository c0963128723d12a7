import type { Collection } from 'mongodb'
import type { ThreadDocument } from '../documents.ts'
import type { Messages } from './messages.ts'
import { standing } from './threads.ts'

/** Removes messages that no thread shows any more. */
export interface Retention {
  /**
   * To be called for a hidden thread before it is removed: takes away its messages, and those of removed threads that
   * it is a fork of, as far as no other thread shows them. Doing it again changes nothing.
   */
  release(thread_id: string): Promise<void>
}

/**
 * Makes the retention. A thread is hidden before it is looked who else shows its messages, and a fork stands before it
 * is looked whether its source is still visible: so of a fork and a deletion at the same time, one sees the other. Of
 * two deletions, the later one sees that the other thread is hidden too.
 */
export function createRetention({
  threads,
  messages,
}: {
  threads: Collection<ThreadDocument>
  messages: Messages
}): Retention {
  /** The position up to which other threads show the messages of this one; 0 where none does. */
  const lastShown = async (thread_id: string) => {
    const [shown] = await threads
      .aggregate<{ last: number }>([
        { $match: { 'base.thread_id': thread_id, ...standing } },
        { $unwind: '$base' },
        { $match: { 'base.thread_id': thread_id } },
        { $group: { _id: null, last: { $max: '$base.last' } } },
      ])
      .toArray()
    return shown?.last ?? 0
  }

  /** The threads among these that are removed or about to be. */
  const listFallen = async (thread_ids: readonly string[]) => {
    if (thread_ids.length === 0) return []
    const found = await threads
      .find({ _id: { $in: [...thread_ids] }, ...standing }, { projection: { _id: 1 } })
      .toArray()
    return thread_ids.filter((thread_id) => !found.some(({ _id }) => _id === thread_id))
  }

  return {
    async release(thread_id) {
      const thread = await threads.findOne({ _id: thread_id }, { projection: { base: 1 } })
      const fallen = await listFallen((thread?.base ?? []).map((range) => range.thread_id))
      for (const gone of [thread_id, ...fallen]) await messages.removeBehind(gone, await lastShown(gone))
    },
  }
}
