import type { Collection, IndexDescription } from 'mongodb'
import type { Clock, TypeOf } from '#kernel'
import type { Block, QueuedTurnDocument } from '../documents.ts'
import type { queuedTurns as queuedTurnRows } from '../message-schemas.ts'
import type { ThreadOwner } from '../threads/threads.ts'
import type { TurnRequest } from './turn-runner.ts'

/** The indexes for reading the turns of a thread in order, and for counting those of an account. */
export const queuedTurnIndexes: IndexDescription[] = [
  { key: { thread_id: 1, _id: 1 } },
  { key: { user_id: 1 } },
]

/** The most characters of a queued message that are shown. */
const SHOWN_CHARACTERS = 8000

/** A queued turn as clients see it; `created_at` is Unix seconds. */
export type QueuedRow = TypeOf<typeof queuedTurnRows>[number]

/** The queued turns of all threads, in the order of their ids. */
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
}

/** Creates the queued turns over their collection. */
export function createQueuedTurns({
  queuedTurns,
  clock,
}: {
  queuedTurns: Collection<QueuedTurnDocument>
  clock: Clock
}): QueuedTurns {
  return {
    async store(turn_id, { thread_id, user, agent, ...request }) {
      const { client_message_id, content, model, settings, locale, request_id } = request
      await queuedTurns.insertOne({
        _id: turn_id,
        thread_id,
        user_id: user.id,
        agent_id: agent._id,
        ...(client_message_id === undefined ? {} : { client_message_id }),
        content,
        ...(model === undefined ? {} : { model }),
        ...(settings === undefined ? {} : { settings }),
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
