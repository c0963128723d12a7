import type { IndexDescription } from 'mongodb'
import type { TypeOf } from '#plugin-api'
import type { Block, QueuedTurnDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { queuedTurns as queuedTurnRows } from '../message-schemas.ts'
import type { ThreadOwner } from '../threads/threads.ts'
import type { TurnRequest } from '../turns/turn.ts'
import type { KnownTurn } from './client-messages.ts'

/** The indexes for reading the turns of a thread in order, and for counting an account's turns. */
export const queuedTurnIndexes: IndexDescription[] = [
  { key: { thread_id: 1, _id: 1 } },
  { key: { user_id: 1 } },
]

/** The most characters of a queued message that are shown. */
const SHOWN_CHARACTERS = 8000

/** A queued turn as clients see it; `created_at` is Unix seconds. */
export type QueuedRow = TypeOf<typeof queuedTurnRows>[number]

/** The queued turns of all threads, in the order of their ids. A mark of the thread keeps others from overtaking. */
export type QueuedTurns = ReturnType<typeof createQueuedTurns>

/** Creates the queued turns over their collection and the threads. */
export function createQueuedTurns({
  collections: { queued_turns: queuedTurns, threads },
  clock,
}: Pick<Cradle, 'collections' | 'clock'>) {
  return {
    async store(turn_id: string, { thread_id, user, agent, ...request }: TurnRequest): Promise<void> {
      const { client_message_id, content, documents, model, settings, steps, locale, request_id } = request
      await queuedTurns.insertOne({
        _id: turn_id,
        thread_id,
        user_id: user.id,
        agent_id: agent._id,
        ...(client_message_id === undefined ? {} : { client_message_id }),
        content,
        ...(documents === undefined ? {} : { documents: [...documents] }),
        ...(model === undefined ? {} : { model }),
        ...(settings === undefined ? {} : { settings }),
        ...(steps === undefined ? {} : { steps: [...steps] }),
        locale,
        request_id,
        ...(user.credential && { scopes: user.credential.scopes }),
        created_at: clock.seconds(),
      })
    },
    countInThread: (thread_id: string): Promise<number> => queuedTurns.countDocuments({ thread_id }),
    count: (): Promise<number> => queuedTurns.countDocuments(),
    countOfAccount: (user_id: string): Promise<number> => queuedTurns.countDocuments({ user_id }),
    /** Returns the position of a turn in its thread, 1 for the next one; undefined if it is not queued. */
    async positionOf(thread_id: string, turn_id: string): Promise<number | undefined> {
      const upTo = await queuedTurns
        .find({ thread_id, _id: { $lte: turn_id } }, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .toArray()
      return upTo.at(-1)?._id === turn_id ? upTo.length : undefined
    },
    first: (thread_id: string): Promise<QueuedTurnDocument | null> =>
      queuedTurns.findOne({ thread_id }, { sort: { _id: 1 } }),
    async list(thread_id: string): Promise<QueuedRow[]> {
      const turns = await queuedTurns.find({ thread_id }).sort({ _id: 1 }).toArray()
      return turns.map(toRow)
    },
    /** Lists the threads with queued turns. */
    listThreads: (): Promise<string[]> => queuedTurns.distinct('thread_id'),
    /** Prevents a turn that is about to start from being taken back; false if it is no longer queued. */
    async claim(turn_id: string): Promise<boolean> {
      const { matchedCount } = await queuedTurns.updateOne({ _id: turn_id }, { $set: { is_starting: true } })
      return matchedCount === 1
    },
    /** Queues a turn again whose start a crash has interrupted; false if it has started. */
    async release(turn_id: string): Promise<boolean> {
      const { matchedCount } = await queuedTurns.updateOne({ _id: turn_id }, { $unset: { is_starting: 1 } })
      return matchedCount === 1
    },
    /** Removes a turn that is not about to start; false if it is not queued. */
    async takeBack({ user_id, agent_id }: ThreadOwner, thread_id: string, turn_id: string): Promise<boolean> {
      const waiting = { _id: turn_id, thread_id, user_id, agent_id, is_starting: { $exists: false } }
      return (await queuedTurns.deleteOne(waiting)).deletedCount === 1
    },
    async remove(turn_id: string): Promise<void> {
      await queuedTurns.deleteOne({ _id: turn_id })
    },
    /** Removes all turns of a thread and returns them. */
    async removeAllOf(thread_id: string): Promise<QueuedTurnDocument[]> {
      const waiting = await queuedTurns.find({ thread_id }).sort({ _id: 1 }).toArray()
      if (waiting.length > 0) await queuedTurns.deleteMany({ thread_id })
      return waiting
    },
    /** Marks a thread with this queued turn; false if the thread is not the owner's, or was removed. */
    async mark({ thread_id, user_id, agent_id, turn_id }: Omit<KnownTurn, 'first_seq'>): Promise<boolean> {
      const { matchedCount } = await threads.updateOne(
        { _id: thread_id, user_id, agent_id, deleted_at: { $exists: false } },
        { $max: { queue_tail: turn_id } },
      )
      return matchedCount === 1
    },
    /** Returns the newest turn that a thread is marked with. */
    async tailOf(thread_id: string): Promise<string | undefined> {
      const thread = await threads.findOne({ _id: thread_id }, { projection: { queue_tail: 1 } })
      return thread?.queue_tail
    },
    /** Removes the mark from a thread without queued turns, unless the mark is a newer one. */
    async clearMark(thread_id: string, queue_tail: string): Promise<void> {
      await threads.updateOne({ _id: thread_id, queue_tail }, { $unset: { queue_tail: 1 } })
    },
    /** Returns which of these threads have no turn, and which do not exist. */
    async listFree(thread_ids: readonly string[]): Promise<{ free: string[]; missing: string[] }> {
      const existingThreads = await threads
        .find({ _id: { $in: [...thread_ids] } }, { projection: { 'active_turn.turn_id': 1 } })
        .toArray()
      const existingIds = new Set(existingThreads.map(({ _id }) => _id))
      return {
        free: existingThreads.filter(({ active_turn }) => !active_turn).map(({ _id }) => _id),
        missing: thread_ids.filter((thread_id) => !existingIds.has(thread_id)),
      }
    },
  }
}

const toRow = ({ _id: queue_id, client_message_id, content, created_at }: QueuedTurnDocument): QueuedRow => ({
  queue_id,
  ...(client_message_id === undefined ? {} : { client_message_id }),
  text: shownText(content),
  created_at,
})

/** Returns the text of a message, or else the names of its files. */
function shownText(content: readonly Block[]): string {
  const words = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const names = content.flatMap((block) => ('filename' in block ? [block.filename] : []))
  const text = (words.length > 0 ? words : names).join('\n')
  return (text.slice(0, SHOWN_CHARACTERS) as unknown as { toWellFormed(): string }).toWellFormed()
}
