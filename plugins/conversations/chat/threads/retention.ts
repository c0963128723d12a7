import type { Collection } from 'mongodb'
import type { MessageRange, ThreadDocument } from '../documents.ts'
import type { Messages } from './messages.ts'
import { notRemoved } from './thread-facts.ts'

/** Removes messages that no thread shows any more. */
export type Retention = ReturnType<typeof createRetention>

/**
 * Creates the retention. A thread is hidden before other threads are searched for its messages, and a fork is stored
 * before its source is checked: if a fork and a deletion happen at the same time, one of them sees the other. Of two
 * deletions, the later one sees that the other thread is hidden too.
 */
export function createRetention({
  threads,
  messages,
}: {
  threads: Collection<ThreadDocument>
  messages: Messages
}) {
  /** Returns the messages of a thread that other threads show. */
  const listShown = async (thread_id: string): Promise<MessageRange[]> => {
    const forks = await threads
      .find({ 'base.thread_id': thread_id, ...notRemoved }, { projection: { base: 1 } })
      .toArray()
    return forks.flatMap(({ base = [] }) => base.filter((range) => range.thread_id === thread_id))
  }

  /** Lists the threads among these that are removed or being removed. */
  const listRemoved = async (thread_ids: readonly string[]) => {
    if (thread_ids.length === 0) return []
    const thread = await threads
      .find({ _id: { $in: [...thread_ids] }, ...notRemoved }, { projection: { _id: 1 } })
      .toArray()
    return thread_ids.filter((thread_id) => !thread.some(({ _id }) => _id === thread_id))
  }

  return {
    /**
     * Removes the messages of a hidden thread, and the messages of removed threads that it is a fork of, unless another thread
     * shows them. Must be called before the thread itself is removed; can be repeated.
     */
    async release(thread_id: string): Promise<void> {
      const thread = await threads.findOne({ _id: thread_id }, { projection: { base: 1 } })
      const fallen = await listRemoved((thread?.base ?? []).map((range) => range.thread_id))
      for (const removedId of [thread_id, ...fallen])
        await messages.removeOutside(removedId, await listShown(removedId))
    },
  }
}
