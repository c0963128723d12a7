import type { IndexDescription } from 'mongodb'
import { isDuplicateKey, jointWriterOf } from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import type { ThreadOwner } from '../threads/threads.ts'

/** The time for which a repeated client_message_id is recognized, in seconds. */
const REPEAT_SECONDS = 30 * 24 * 3600

/** The indexes for recognizing a message, removing it with its thread, and forgetting it. */
export const clientMessageIndexes: IndexDescription[] = [
  { key: { user_id: 1, agent_id: 1, client_message_id: 1 }, unique: true },
  { key: { thread_id: 1 } },
  { key: { created_at: 1 }, expireAfterSeconds: REPEAT_SECONDS },
]

/** The turn of a repeated client message; `first_seq` is null while the turn is queued. */
export interface KnownTurn extends ThreadOwner {
  turn_id: string
  thread_id: string
  first_seq: number | null
}

/** The client messages that have started or queued a turn: one turn each, by a unique index. */
export type ClientMessages = ReturnType<typeof createClientMessages>

/** Creates the client messages over their collection. */
export function createClientMessages({
  collections: { client_messages: clientMessages },
  clock,
}: Pick<Cradle, 'collections' | 'clock'>) {
  /** Stores a message; false if this turn or another one has already stored it. */
  const insert = async (
    { turn_id, thread_id, first_seq, user_id, agent_id }: KnownTurn,
    client_message_id: string,
  ) => {
    const created_at = new Date(clock.now())
    const document = { _id: turn_id, thread_id, first_seq, user_id, agent_id, client_message_id, created_at }
    const { namespace } = clientMessages
    try {
      await jointWriterOf(clientMessages).write([{ name: 'insertOne', namespace, document }])
      return true
    } catch (error) {
      if (isDuplicateKey(error)) return false
      throw error
    }
  }

  const self = {
    /** Without an agent, finds a message to any agent. */
    async findRepeated(
      owner: Pick<ThreadOwner, 'user_id'> & Partial<ThreadOwner>,
      client_message_id: string,
    ): Promise<KnownTurn | null> {
      const message = await clientMessages.findOne({ ...owner, client_message_id })
      if (!message) return null
      const { _id: turn_id, thread_id, first_seq, user_id, agent_id } = message
      return { turn_id, thread_id, first_seq, user_id, agent_id }
    },
    /** Stores the client message of a turn; returns the other turn that has the same one. */
    async note(turn: KnownTurn, client_message_id: string): Promise<KnownTurn | undefined> {
      const { user_id, agent_id, turn_id, first_seq } = turn
      if (await insert(turn, client_message_id)) return undefined
      const repeatedTurn = await self.findRepeated({ user_id, agent_id }, client_message_id)
      if (!repeatedTurn) return self.note(turn, client_message_id)
      if (repeatedTurn.turn_id !== turn_id) return repeatedTurn
      if (first_seq !== null) await clientMessages.updateOne({ _id: turn_id }, { $set: { first_seq } })
      return undefined
    },
    /** Removes the client message of a turn that will not start, so that it can be sent again. */
    async forget(turn_id: string): Promise<void> {
      await clientMessages.deleteOne({ _id: turn_id })
    },
    /** Marks the client message of a turn as queued again, because the turn has not started. */
    async unstart(turn_id: string): Promise<void> {
      await clientMessages.updateOne({ _id: turn_id }, { $set: { first_seq: null } })
    },
    /** Removes a thread's client messages. */
    async remove(thread_id: string): Promise<void> {
      await clientMessages.deleteMany({ thread_id })
    },
  }
  return self
}
