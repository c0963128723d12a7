import type { ErrorExplainer } from '#kernel'
import type { MessageDocument, TurnDocument } from './documents.ts'
import type { Hub } from './hub.ts'
import type { TurnLog } from './ledger.ts'
import { type LedgerEvent, seqOf } from './ledger-event.ts'
import type { Messages } from './messages.ts'
import { projectTurn } from './projection.ts'
import type { Threads } from './threads.ts'
import { titleOf } from './title.ts'
import type { TurnEnd } from './turn-runner.ts'
import type { Turns } from './turns.ts'

/** What settling writes to. */
export interface SettlementParts {
  turns: Turns
  threads: Threads
  messages: Messages
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
  turn: TurnDocument
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
    await log.finish('error', { code, message, details, request_id }, settle)
  } else {
    const { message_id, usage, stop_reason } = end
    await log.finish('done', { message_id, usage: { ...usage }, stop_reason }, settle)
  }
}

/** Writes what follows from a turn's events, the last of which ends it. */
export async function storeOutcome({
  turn,
  events,
  turns,
  threads,
  messages,
  hub,
}: SettlementParts & { turn: TurnDocument; events: readonly LedgerEvent[] }): Promise<void> {
  const documents = projectTurn(events)
  const last = events.at(-1)!
  const last_seq = seqOf(last)
  const status =
    last.type === 'error'
      ? 'failed'
      : last.type === 'done' && last.frame.stop_reason === 'stopped'
        ? 'stopped'
        : 'done'
  await Promise.all([
    messages.store(documents),
    threads.advance(turn.thread_id, {
      last_seq,
      title: titleOf(documents[0]!),
      artifacts: documents.flatMap(({ artifacts = [] }) => artifacts),
      unseen: status === 'done' && !hub.isReading(turn.thread_id, turn.user_id),
    }),
  ])
  await turns.close(turn._id, { status, last_seq, usage: usageOf(documents) })
}

const usageOf = (documents: readonly MessageDocument[]) => {
  const total = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }
  for (const { usage } of documents)
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += usage?.[name] ?? 0
  return total
}
