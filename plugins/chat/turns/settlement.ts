import type { ErrorExplainer } from '#kernel'
import type { Hub } from '../ledger/hub.ts'
import type { TurnLog } from '../ledger/ledger.ts'
import { type LedgerEvent, seqOf } from '../ledger/ledger-event.ts'
import { projectTurn } from '../ledger/projection.ts'
import { storable } from '../storable.ts'
import type { RecentMessages } from '../threads/recent-messages.ts'
import { titleOf } from '../threads/title.ts'
import type { Outcomes } from './outcomes.ts'
import type { TurnEnd } from './turn-runner.ts'
import type { Turn } from './turns.ts'

/** What settling writes to. */
export interface SettlementParts {
  outcomes: Outcomes
  recent: RecentMessages
  hub: Hub
  explainError: ErrorExplainer
}

/**
 * Ends a turn: its last event, then its messages and its thread, then its record. Each step can be repeated, and
 * readers see the end only after all of them. `before` holds events that an earlier process wrote.
 */
export async function settleTurn({
  turn,
  log,
  end,
  before = [],
  onSettled = () => undefined,
  ...parts
}: SettlementParts & {
  turn: Turn
  log: TurnLog
  end: TurnEnd
  before?: readonly LedgerEvent[]
  onSettled?: () => void
}): Promise<void> {
  const settle = async (events: readonly LedgerEvent[]) => {
    await storeOutcome({ ...parts, turn, events: [...before, ...events] })
    onSettled()
  }
  if (end.type === 'error') {
    const { code, message, details, request_id } = parts.explainError(end.error, end.locale, end.request_id)
    const frame = { code, message, details, request_id }
    await log.finish('error', storable(frame) as typeof frame, settle)
  } else {
    const { message_id, usage, stop_reason } = end
    await log.finish('done', { message_id, usage: { ...usage }, stop_reason }, settle)
  }
}

/** Writes what follows from a turn's events, the last of which ends it. */
export async function storeOutcome({
  turn,
  events,
  outcomes,
  recent,
  hub,
}: SettlementParts & { turn: Turn; events: readonly LedgerEvent[] }): Promise<void> {
  const documents = projectTurn(events)
  const last = events.at(-1)!
  await outcomes.store(documents, {
    thread_id: turn.thread_id,
    turn_id: turn.turn_id,
    last_seq: seqOf(last),
    title: titleOf(documents[0]!),
    artifacts: documents.flatMap(({ artifacts = [] }) => artifacts),
    unseen: last.type === 'done' && !hub.isReading(turn.thread_id, turn.user_id),
  })
  recent.add(turn.thread_id, turn.first_seq, documents, seqOf(last))
}
