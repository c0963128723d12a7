import { AppError, jointWriterOf } from '#plugin-api'
import type { ThreadDocument } from '../documents.ts'
import { seqOf } from '../ledger/ledger-event.ts'
import { projectTurn } from '../ledger/projection.ts'
import type { Cradle } from '../manifest.ts'
import { createTurn } from '../turns/turn.ts'
import { type EarlierTurn, toEvents } from './earlier-turns.ts'
import { cutRanges } from './paths.ts'
import { toProgressWrites, toTitle } from './thread-progress.ts'

/** The end of a turn: the seq of its last event, and its last message. */
export interface TurnPosition {
  seq: number
  message_id: string
}

/** Adds turns that happened elsewhere to threads that exist. */
export type AddedTurns = ReturnType<typeof createAddedTurns>

/** Creates it. Each turn takes the thread as a turn of this server does, so that a crash is recovered from. */
export function createAddedTurns(cradle: Cradle) {
  const { clock, collections, events, ids, ledger, messages, recent, signals, turnLeases, versions } = cradle
  const jointWriter = jointWriterOf(collections.threads)

  const pathTo = async (thread: ThreadDocument, behind: TurnPosition | null) =>
    behind ? cutRanges(await versions.pathThrough(thread, behind.message_id), behind.seq) : []

  return {
    /**
     * Adds a turn behind the end of an earlier one, null for the beginning, as a version if that is not the end of the
     * thread; returns its end. An archived thread stays archived. Throws THREAD_NOT_FOUND, THREAD_BUSY.
     */
    async add(
      thread: ThreadDocument,
      earlierTurn: EarlierTurn,
      behind: TurnPosition | null,
    ): Promise<TurnPosition> {
      const { _id: thread_id, user_id, agent_id, archived } = thread
      const owner = { user_id, agent_id }
      const after = behind?.seq ?? 0
      const continues = after === thread.last_seq ? undefined : await pathTo(thread, behind)
      const turn = createTurn({ thread_id, ...owner }, cradle)
      try {
        const title = toTitle({ content: earlierTurn.input })
        const leased = await turnLeases.take(owner, thread_id, { title, continues })
        if (!leased) throw new AppError('THREAD_BUSY')
        turn.adopt(leased, [])
        const { turn_id, first_seq } = leased.lease
        const placement = { ids, ts: clock.now(), first_seq, turn_id, ...(continues && { after }) }
        const { message_id: after_message_id } = behind ?? {}
        const stored = await ledger.adopt(
          thread_id,
          toEvents([earlierTurn], { ...placement, ...(after_message_id && { after_message_id }) }),
        )
        const documents = projectTurn(stored)
        const last = stored.at(-1)!
        const end = { seq: seqOf(last), message_id: documents.at(-1)!._id }
        const progress = {
          ...{ thread_id, turn_id, last_seq: end.seq, last_message_id: end.message_id },
          last_active: Math.floor(last.ts / 1000),
          path: leased.lease.path,
          artifacts: [],
          sources: [],
          unseen: false,
          is_copied: true as const,
        }
        const { namespace } = collections.threads
        const archive = { filter: { _id: thread_id }, update: { $set: { archived: true } } }
        await jointWriter.write([
          ...messages.toWrites(leased.lease, documents),
          ...toProgressWrites(progress, collections.threads),
          ...(archived ? [{ name: 'updateOne' as const, namespace, ...archive }] : []),
        ])
        recent.add(thread_id, first_seq, documents, end.seq)
        signals.publish('turn.begun', { thread_id })
        void events.emit('thread.changed', { thread_id, user_id, agent_id })
        return end
      } finally {
        turn.leave()
      }
    },
  }
}
