import type { ErrorExplainer } from '#kernel'
import type { PausedTurn } from '../documents.ts'
import type { Hub } from '../ledger/hub.ts'
import type { TurnLog } from '../ledger/ledger.ts'
import {
  type EventRecord,
  type LedgerEvent,
  type PendingApproval,
  seqOf,
  sumUsage,
} from '../ledger/ledger-event.ts'
import { projectTurn } from '../ledger/projection.ts'
import { sanitizeForStorage } from '../sanitize.ts'
import type { RecentMessages } from '../threads/recent-messages.ts'
import { toTitle } from '../threads/title.ts'
import type { Outcomes } from './outcomes.ts'
import type { TurnEnd } from './turn-execution.ts'
import type { Turn, Turns } from './turns.ts'

/** The services that settling uses. */
export interface SettlementParts {
  outcomes: Outcomes
  recent: RecentMessages
  hub: Hub
  explainError: ErrorExplainer
}

/**
 * Ends a turn: writes its last event, then its messages and its thread, then its record. Each step can be repeated, and
 * readers see the end only after all of them.
 */
export async function settleTurn({
  turn,
  log,
  end,
  onSettled = () => undefined,
  ...parts
}: SettlementParts & {
  turn: Turn
  log: TurnLog
  end: TurnEnd
  onSettled?: () => void
}): Promise<void> {
  const settle = async (events: readonly LedgerEvent[]) => {
    await storeOutcome({ ...parts, turn, events })
    onSettled()
  }
  if (end.type === 'error') {
    const { code, message, details, request_id } = parts.explainError(end.error, end.locale, end.request_id)
    const frame = { message_id: await replyIn(turn, log), code, message, details, request_id }
    await log.finish('error', sanitizeForStorage(frame) as typeof frame, settle)
  } else {
    const { usage, stop_reason } = end
    const message_id = end.message_id ?? (await replyIn(turn, log))
    await log.finish('done', { message_id, usage: { ...usage }, stop_reason }, settle)
  }
}

/** Returns the end of a turn that was stopped while it waited for a person. */
export function toStoppedEnd(events: readonly LedgerEvent[]): TurnEnd {
  const reply = projectTurn(events).findLast(({ role }) => role === 'assistant')
  return { type: 'done', message_id: reply?._id ?? null, usage: sumUsage(events), stop_reason: 'stopped' }
}

/** Returns the reply that shows the end of a turn: its last one, or else an empty one. */
async function replyIn({ turn_id }: Turn, log: TurnLog): Promise<string> {
  await log.durable()
  const reply = projectTurn(log.committed).findLast(({ role }) => role === 'assistant')
  return reply?._id ?? turn_id.replace('trn_', 'msg_')
}

/** Pauses a turn until a person has decided: writes the event, then the record, and only then do readers see it. */
export async function pauseTurn({
  turns,
  turn,
  log,
  pending,
  whole_args,
  onSettled,
}: {
  turns: Turns
  turn: Turn
  log: TurnLog
  pending: PendingApproval
  whole_args: EventRecord['whole_args']
  onSettled: () => void
}): Promise<void> {
  const isHeld = pending.action_requests.some(({ is_step }) => is_step)
  const settle = async (events: readonly LedgerEvent[]) => {
    await turns.pause(turn, toPausedTurn(events.at(-1)!), isHeld)
    onSettled()
  }
  await log.finish('hitl_required', pending, settle, whole_args && { whole_args })
}

/** Returns the record of a turn whose last event is an approval request. */
export function toPausedTurn(event: LedgerEvent): PausedTurn {
  const { pending_id, expires_at } = event.frame as PendingApproval
  return { pending_id, expires_at, seq: seqOf(event) }
}

/** Stores the outcome of a turn, which follows from its events. */
export async function storeOutcome({
  turn,
  events,
  outcomes,
  recent,
  hub,
}: SettlementParts & { turn: Turn; events: readonly LedgerEvent[] }): Promise<void> {
  const documents = projectTurn(events)
  const last = events.at(-1)!
  const { agent_id, user_id } = turn
  const { stop_reason, code: error_code } = last.frame as { stop_reason?: string; code?: string }
  const ended = { agent_id, user_id, ...(stop_reason && { stop_reason }), ...(error_code && { error_code }) }
  const progress = {
    thread_id: turn.thread_id,
    turn_id: turn.turn_id,
    last_seq: seqOf(last),
    // The time comes from the ledger, so that a rebuilt thread shows the same.
    last_active: Math.floor(last.ts / 1000),
    title: toTitle(documents[0]!),
    artifacts: documents.flatMap(({ artifacts = [] }) => artifacts),
    sources: documents.flatMap(({ sources = [] }) => sources),
    unseen: last.type === 'done' && !hub.isReading(turn.thread_id, turn.user_id),
  }
  await outcomes.store(documents, progress, ended)
  recent.add(turn.thread_id, turn.first_seq, documents, seqOf(last))
}
