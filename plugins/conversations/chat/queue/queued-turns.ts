import type { IndexDescription } from 'mongodb'
import type { TypeOf } from '#kernel'
import type { Block, QueuedTurnDocument } from '../documents.ts'
import type { Cradle } from '../manifest.ts'
import type { queuedTurns as queuedTurnRows } from '../message-schemas.ts'
import type { ThreadOwner } from '../threads/threads.ts'
import type { TurnRequest } from '../turns/turn.ts'
import type { KnownTurn } from './client-messages.ts'

/** The indexes for reading the turns of a thread in order, and for counting those of an account. */
export const queuedTurnIndexes: IndexDescription[] = [
  { key: { thread_id: 1, _id: 1 } },
  { key: { user_id: 1 } },
]

/** The most characters of a queued message that are shown. */
const SHOWN_CHARACTERS = 8000

/** A queued turn as clients see it; `created_at` is Unix seconds. */
export type QueuedRow = TypeOf<typeof queuedTurnRows>[number]

/** The queued turns of all threads, in the order of their ids. A mark of the thread keeps others from overtaking. */
export interface QueuedTurns {
  store(turn_id: string, request: TurnRequest): Promise<void>
  countInThread(thread_id: string): Promise<number>
  countOfAccount(user_id: string): Promise<number>
  count(): Promise<number>
  /** Returns the position of a turn in its thread, 1 for the next one; undefined if it is not queued. */
  positionOf(thread_id: string, turn_id: string): Promise<number | undefined>
  first(thread_id: string): Promise<QueuedTurnDocument | null>
  list(thread_id: string): Promise<QueuedRow[]>
  /** Lists the threads with queued turns. */
  listThreads(): Promise<string[]>
  /** Prevents a turn that is about to start from being taken back; false if it is no longer queued. */
  claim(turn_id: string): Promise<boolean>
  /** Queues a turn again whose start a crash has interrupted; false if it has started. */
  release(turn_id: string): Promise<boolean>
  /** Removes a turn that is not about to start; false if it is not queued. */
  takeBack(owner: ThreadOwner, thread_id: string, turn_id: string): Promise<boolean>
  remove(turn_id: string): Promise<void>
  /** Removes all turns of a thread and returns them. */
  removeAllOf(thread_id: string): Promise<QueuedTurnDocument[]>
  /** Marks a thread with this queued turn; false if the thread is not the owner's, or was removed. */
  mark(queued: Omit<KnownTurn, 'first_seq'>): Promise<boolean>
  /** Returns the newest turn that a thread is marked with. */
  tailOf(thread_id: string): Promise<string | undefined>
  /** Removes the mark from a thread without queued turns, unless the mark is a newer one. */
  clearMark(thread_id: string, queue_tail: string): Promise<void>
  /** Returns which of these threads have no turn, and which do not exist. */
  listFree(thread_ids: readonly string[]): Promise<{ free: string[]; missing: string[] }>
}

/** Creates the queued turns over their collection and the threads. */
export function createQueuedTurns({
  collections: { queued_turns: queuedTurns, threads },
  clock,
}: Pick<Cradle, 'collections' | 'clock'>): QueuedTurns {
  return {
    async store(turn_id, { thread_id, user, agent, ...request }) {
      const { client_message_id, content, model, settings, steps, locale, request_id } = request
      await queuedTurns.insertOne({
        _id: turn_id,
        thread_id,
        user_id: user.id,
        agent_id: agent._id,
        ...(client_message_id === undefined ? {} : { client_message_id }),
        content,
        ...(model === undefined ? {} : { model }),
        ...(settings === undefined ? {} : { settings }),
        ...(steps === undefined ? {} : { steps: [...steps] }),
        locale,
        request_id,
        ...(user.credential && { scopes: user.credential.scopes }),
        created_at: clock.seconds(),
      })
    },
    countInThread: (thread_id) => queuedTurns.countDocuments({ thread_id }),
    count: () => queuedTurns.countDocuments(),
    countOfAccount: (user_id) => queuedTurns.countDocuments({ user_id }),
    async positionOf(thread_id, turn_id) {
      const upTo = await queuedTurns
        .find({ thread_id, _id: { $lte: turn_id } }, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .toArray()
      return upTo.at(-1)?._id === turn_id ? upTo.length : undefined
    },
    first: (thread_id) => queuedTurns.findOne({ thread_id }, { sort: { _id: 1 } }),
    async list(thread_id) {
      const found = await queuedTurns.find({ thread_id }).sort({ _id: 1 }).toArray()
      return found.map(toRow)
    },
    listThreads: () => queuedTurns.distinct('thread_id'),
    async claim(turn_id) {
      const { matchedCount } = await queuedTurns.updateOne({ _id: turn_id }, { $set: { is_starting: true } })
      return matchedCount === 1
    },
    async release(turn_id) {
      const { matchedCount } = await queuedTurns.updateOne({ _id: turn_id }, { $unset: { is_starting: 1 } })
      return matchedCount === 1
    },
    async takeBack({ user_id, agent_id }, thread_id, turn_id) {
      const waiting = { _id: turn_id, thread_id, user_id, agent_id, is_starting: { $exists: false } }
      return (await queuedTurns.deleteOne(waiting)).deletedCount === 1
    },
    async remove(turn_id) {
      await queuedTurns.deleteOne({ _id: turn_id })
    },
    async removeAllOf(thread_id) {
      const waiting = await queuedTurns.find({ thread_id }).sort({ _id: 1 }).toArray()
      if (waiting.length > 0) await queuedTurns.deleteMany({ thread_id })
      return waiting
    },
    async mark({ thread_id, user_id, agent_id, turn_id }) {
      const { matchedCount } = await threads.updateOne(
        { _id: thread_id, user_id, agent_id, deleted_at: { $exists: false } },
        { $max: { queue_tail: turn_id } },
      )
      return matchedCount === 1
    },
    async tailOf(thread_id) {
      const thread = await threads.findOne({ _id: thread_id }, { projection: { queue_tail: 1 } })
      return thread?.queue_tail
    },
    async clearMark(thread_id, queue_tail) {
      await threads.updateOne({ _id: thread_id, queue_tail }, { $unset: { queue_tail: 1 } })
    },
    async listFree(thread_ids) {
      const found = await threads
        .find({ _id: { $in: [...thread_ids] } }, { projection: { 'active_turn.turn_id': 1 } })
        .toArray()
      const known = new Set(found.map(({ _id }) => _id))
      return {
        free: found.filter(({ active_turn }) => !active_turn).map(({ _id }) => _id),
        missing: thread_ids.filter((thread_id) => !known.has(thread_id)),
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
