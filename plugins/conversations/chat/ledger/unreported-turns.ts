import type { IndexDescription } from 'mongodb'
import type { UnreportedRecord } from '#plugin-api'
import type { ThreadDocument } from '../documents.ts'
import { waitsForClient } from '../loop/client-tools.ts'
import type { Cradle } from '../manifest.ts'
import { eventRange, type LedgerEvent, seqOf } from './ledger-event.ts'

/** The most events of one thread that are read at a time. */
const MAX_EVENTS = 200

/** The types of the events that are reported. */
const REPORTED_TYPES: LedgerEvent['type'][] = ['done', 'error', 'hitl_required']

/** The index that marked threads are found with. */
export const unreportedIndex: IndexDescription = {
  key: { user_id: 1, is_unreported: 1 },
  partialFilterExpression: { is_unreported: true },
}

type MarkedThread = Pick<
  ThreadDocument,
  '_id' | 'user_id' | 'agent_id' | 'last_seq' | 'active_turn' | 'reported_seq'
>

/**
 * Returns the ends and the approval requests of turns that webhooks have not heard of, from the ledgers of these accounts.
 *
 * The position is one per thread and counts events, because no time would do: a turn whose process has died is closed by
 * another one, minutes or hours later, with the times of its ledger, and the clocks of servers differ. A reader that went
 * on from the newest time that it saw would skip it. The seqs of a thread rise by one, under a lease, and the mark is set
 * in the very write that makes a turn's end visible; so a marked thread has news, and an unmarked one has none.
 */
export async function listUnreportedTurns(
  { user_ids, since, limit }: { user_ids: readonly string[]; since: number; limit: number },
  { collections: { threads, events } }: Pick<Cradle, 'collections'>,
): Promise<UnreportedRecord[]> {
  const marked = {
    user_id: { $in: [...user_ids] },
    is_unreported: true as const,
    deleted_at: { $exists: false },
  }
  const listMarked = () =>
    threads
      .find(marked)
      .project<MarkedThread>({ user_id: 1, agent_id: 1, last_seq: 1, active_turn: 1, reported_seq: 1 })
      .limit(limit)
      .toArray()

  let rows = await listMarked()
  if (rows.length === limit) {
    // The first webhook of an account finds marks from all the time before, which nobody wants to hear of.
    await threads.updateMany(
      { ...marked, active_turn: null, last_active: { $lt: Math.floor(since / 1000) } },
      [{ $set: { is_unreported: '$$REMOVE', reported_seq: '$last_seq' } }],
    )
    rows = await listMarked()
  }

  const read = async (thread: MarkedThread): Promise<UnreportedRecord> => {
    const { _id: thread_id, user_id, agent_id, last_seq, active_turn, reported_seq = 0 } = thread
    // Events of a running turn may still be replaced; those up to its last end or pause are final.
    const upTo = Math.max(last_seq, active_turn?.paused?.seq ?? 0)
    const reported = (await events
      .find({ ...eventRange(thread_id, reported_seq, upTo), type: { $in: REPORTED_TYPES } })
      .sort({ _id: 1 })
      .limit(MAX_EVENTS)
      .toArray()) as LedgerEvent[]
    const isAll = reported.length < MAX_EVENTS
    const owner = { user_id, agent_id }
    return {
      facts: reported.flatMap((event) => toFact(event, { ...owner, thread_id })),
      settle: () =>
        threads.updateOne(
          {
            _id: thread_id,
            last_seq,
            'active_turn.paused.seq': active_turn?.paused?.seq ?? { $exists: false },
          },
          isAll
            ? { $set: { reported_seq: upTo }, $unset: { is_unreported: 1 } }
            : { $set: { reported_seq: seqOf(reported.at(-1)!) } },
        ),
    }
  }
  return Promise.all(rows.map(read))
}

function toFact(
  event: LedgerEvent,
  { thread_id, user_id, agent_id }: { thread_id: string; user_id: string; agent_id: string },
): UnreportedRecord['facts'] {
  const { _id, turn_id, ts: at } = event
  const about = { user_id, agent_id, at }
  const ids = { agent_id, thread_id, turn_id }
  switch (event.type) {
    case 'hitl_required': {
      if (waitsForClient(event.frame)) return []
      const { pending_id, expires_at, action_requests } = event.frame
      const data = { ...ids, pending_id, expires_at, tools: action_requests.map(({ name }) => name) }
      return [{ id: _id, event: 'approval.requested', ...about, data }]
    }
    case 'done': {
      const { message_id, stop_reason } = event.frame
      return [
        { id: _id, event: 'turn.ended', ...about, data: { ...ids, message_id, stop_reason, error: null } },
      ]
    }
    case 'error': {
      const { message_id = null, code, message } = event.frame
      const data = { ...ids, message_id, stop_reason: null, error: { code, message } }
      return [{ id: _id, event: 'turn.ended', ...about, data }]
    }
    default:
      return []
  }
}
