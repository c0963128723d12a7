import type { Collection } from 'mongodb'
import type { ThreadDocument } from '../documents.ts'
import { visible } from './thread-facts.ts'

/** The channel type of threads that programs create, often one for each request. */
const API = 'api'

/** Creates the queries for threads that may be removed without anybody asking for it. */
export function createPrunableThreads(threads: Collection<ThreadDocument>) {
  return {
    /**
     * Lists threads that programs have created and that nobody pinned, which neither run nor wait for a person, except
     * those that were active last of each account.
     */
    async listSurplus(most: number): Promise<string[]> {
      const unpinned = { channel_type: API, pinned: false, ...visible }
      const accounts = await threads
        .aggregate<{ _id: string }>([
          { $match: unpinned },
          { $group: { _id: '$user_id', count: { $sum: 1 } } },
          { $match: { count: { $gt: most } } },
        ])
        .toArray()
      const surplus: string[] = []
      for (const { _id: user_id } of accounts) {
        const older = threads
          .find({ user_id, ...unpinned })
          .sort({ last_active: -1 })
          .skip(most)
        // A program that only wanted the arguments of a call never sends the result.
        for await (const { _id, active_turn, queue_tail } of older.project({ active_turn: 1, queue_tail: 1 }))
          if ((!active_turn || active_turn.paused?.for_client) && queue_tail === undefined) surplus.push(_id)
      }
      return surplus
    },
    /** Selects threads that nobody pinned, which neither run nor wait, and were not active from then on (Unix seconds). */
    listIdle: (inactiveSince: number): AsyncIterable<Pick<ThreadDocument, '_id'>> =>
      threads.find(
        {
          last_active: { $lt: inactiveSince },
          pinned: false,
          active_turn: null,
          queue_tail: { $exists: false },
          ...visible,
        },
        { projection: { _id: 1 } },
      ),
  }
}
