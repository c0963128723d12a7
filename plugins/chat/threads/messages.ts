import type { Collection } from 'mongodb'
import { isDuplicateKey } from '#kernel'
import type { MessageDocument } from '../documents.ts'

/** The messages of finished turns, one document each. */
export interface Messages {
  /** Stores a turn's messages; storing them again changes nothing. */
  store(messages: readonly MessageDocument[]): Promise<void>
  /** A page counted from the newest, or older than `before`; oldest first, one more than `limit` where there is more. */
  page(
    thread_id: string,
    query: { limit: number; offset?: number; before?: number },
  ): Promise<MessageDocument[]>
  remove(thread_id: string): Promise<void>
}

/** The index that pages are read by. */
export const messageIndexes = [{ key: { thread_id: 1, position: -1 } }]

/** Messages over their collection. */
export function createMessages(messages: Collection<MessageDocument>): Messages {
  return {
    async store(documents) {
      try {
        await messages.insertMany([...documents], { ordered: false })
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
        await messages.bulkWrite(
          documents.map((document) => ({
            replaceOne: { filter: { _id: document._id }, replacement: document, upsert: true },
          })),
        )
      }
    },
    async page(thread_id, { limit, offset = 0, before }) {
      const older = before === undefined ? {} : { position: { $lt: before } }
      const newestFirst = await messages
        .find({ thread_id, ...older })
        .sort({ position: -1 })
        .skip(offset)
        .limit(limit + 1)
        .toArray()
      return newestFirst.reverse()
    },
    async remove(thread_id) {
      await messages.deleteMany({ thread_id })
    },
  }
}
