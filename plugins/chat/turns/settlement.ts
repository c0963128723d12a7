import { AppError, type Locale } from '#kernel'
import { jointWriterOf, type Write } from '#toolbox'
import type { MessageDocument, PausedTurn } from '../documents.ts'
import {
  type EventRecord,
  type LedgerEvent,
  type PendingApproval,
  seqOf,
  sumUsage,
} from '../ledger/ledger-event.ts'
import { projectTurn } from '../ledger/projection.ts'
import { isTransient, type Outcome, type TurnLog, toReplacement } from '../ledger/turn-log.ts'
import type { Cradle } from '../manifest.ts'
import { sanitizeForStorage } from '../sanitize.ts'
import { toProgressWrite } from '../threads/thread-progress.ts'
import type { ThreadOwner } from '../threads/threads.ts'
import { toTitle } from '../threads/title.ts'
import type { TurnEnd } from './turn-execution.ts'
import type { Turn } from './turns.ts'

/** Ends and pauses turns. Their last event, their messages and their thread are stored in this order, together. */
export interface Settlement {
  end(turn: Turn, log: TurnLog, end: TurnEnd, onStored?: () => void): Promise<void>
  /** Pauses a turn until a person has decided. */
  pause(turn: Turn, log: TurnLog, asked: Asked, onStored?: () => void): Promise<void>
  /** Stores what follows from the last event of a turn whose process died right after writing it. */
  complete(turn: Turn, events: readonly LedgerEvent[]): Promise<void>
}

interface Asked {
  pending: PendingApproval
  whole_args: EventRecord['whole_args']
}

/** The owner and the outcome of a turn. */
export interface EndedTurn extends ThreadOwner {
  stop_reason?: string
  error_code?: string
  /** Unix milliseconds of its first and its last event. */
  started_ms: number
  ended_ms: number
}

declare module '#kernel/types' {
  interface Events {
    /** A turn has ended, and its messages are stored. May come again after a crash. */
    'turn.ended': EndedTurn & { thread_id: string; turn_id: string }
    /** A message of a turn is stored. May come again after a crash. */
    'message.stored': ThreadOwner & { thread_id: string; message_id: string; role: MessageDocument['role'] }
  }
}

/** Creates the settlement. */
export function createSettlement({
  collections,
  messages,
  turns,
  recent,
  hub,
  events: bus,
  explainError,
}: Pick<
  Cradle,
  'collections' | 'messages' | 'turns' | 'recent' | 'hub' | 'events' | 'explainError'
>): Settlement {
  const { threads, events: ledger } = collections
  const jointWriter = jointWriterOf(threads)

  const announce = async (
    turn: Turn,
    documents: readonly MessageDocument[],
    first: LedgerEvent,
    last: LedgerEvent,
  ) => {
    const { thread_id, turn_id, agent_id, user_id } = turn
    const { stop_reason, code: error_code } = last.frame as { stop_reason?: string; code?: string }
    for (const { _id: message_id, role } of documents)
      await bus.emit('message.stored', { thread_id, message_id, role, agent_id, user_id })
    await bus.emit('turn.ended', {
      thread_id,
      turn_id,
      agent_id,
      user_id,
      started_ms: first.ts,
      ended_ms: last.ts,
      ...(stop_reason && { stop_reason }),
      ...(error_code && { error_code }),
    })
  }

  const explain = (turn: Turn, error: unknown, locale: Locale, request_id: string) => {
    const { code, message, details } = explainError(error, locale, request_id)
    return { code, message, details, request_id, message_id: emptyReply(turn) }
  }

  /** Returns the outcome of a turn, which follows from its events. */
  const toOutcome = (turn: Turn, onStored?: () => void): Outcome => {
    /** The messages of the last writes, which are made before they are stored. */
    let documents: readonly MessageDocument[] = []
    return {
      writes(events) {
        documents = projectTurn(events)
        const last = events.at(-1)!
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
        return [...messages.toWrites(documents), toProgressWrite(progress, threads)]
      },
      stored(events) {
        const last = events.at(-1)!
        recent.add(turn.thread_id, turn.first_seq, documents, seqOf(last))
        onStored?.()
        // Listeners must not delay the turns.
        void announce(turn, documents, events[0]!, last)
      },
      refused: () => explain(turn, new AppError('TURN_NOT_STORED'), 'en', turn.turn_id),
    }
  }

  return {
    async end(turn, log, end, onStored) {
      const outcome = toOutcome(turn, onStored)
      if (end.type === 'error') {
        const explained = explain(turn, end.error, end.locale, end.request_id)
        const frame = { ...explained, message_id: await replyIn(turn, log) }
        await log.finish('error', sanitizeForStorage(frame) as typeof frame, outcome)
      } else {
        const { usage, stop_reason, sources } = end
        const message_id = end.message_id ?? (await replyIn(turn, log))
        const cited = sources.length > 0 && { sources: [...sources] }
        await log.finish('done', { message_id, usage: { ...usage }, stop_reason, ...cited }, outcome)
      }
    },
    async pause(turn, log, { pending, whole_args }, onStored) {
      const isHeld = pending.action_requests.some(({ is_step }) => is_step)
      const ended = toOutcome(turn, onStored)
      const outcome: Outcome = {
        ...ended,
        writes: (events) =>
          events.at(-1)!.type === 'error'
            ? ended.writes(events)
            : [turns.toPauseWrite(turn, toPausedTurn(events.at(-1)!), isHeld)],
        stored: (events) => (events.at(-1)!.type === 'error' ? ended.stored(events) : onStored?.()),
      }
      await log.finish('hitl_required', pending, outcome, whole_args && { whole_args })
    },
    async complete(turn, events) {
      const last = events.at(-1)!
      if (last.type === 'hitl_required')
        return jointWriter.write([turns.toPauseWrite(turn, toPausedTurn(last))])
      const outcome = toOutcome(turn)
      const store = async (events: readonly LedgerEvent[], replaced: readonly Write[] = []) => {
        await jointWriter.write([...replaced, ...outcome.writes(events)])
        outcome.stored(events)
      }
      try {
        await store(events)
      } catch (error) {
        if (isTransient(error)) throw error
        const refused = { ...last, type: 'error', frame: outcome.refused(error) } as LedgerEvent
        await store([events[0]!, refused], [toReplacement(refused, ledger)])
      }
    },
  }
}

/** Returns the end of a turn that was stopped while it waited for a person. */
export function toStoppedEnd(events: readonly LedgerEvent[]): TurnEnd {
  const reply = projectTurn(events).findLast(({ role }) => role === 'assistant')
  return {
    type: 'done',
    message_id: reply?._id ?? null,
    usage: sumUsage(events),
    stop_reason: 'stopped',
    sources: [],
  }
}

/** Returns the reply that shows the end of a turn: its last one, or else an empty one. */
async function replyIn(turn: Turn, log: TurnLog): Promise<string> {
  await log.durable()
  const reply = projectTurn(log.committed).findLast(({ role }) => role === 'assistant')
  return reply?._id ?? emptyReply(turn)
}

const emptyReply = ({ turn_id }: Turn) => turn_id.replace('trn_', 'msg_')

/** Returns the record of a turn whose last event is an approval request. */
function toPausedTurn(event: LedgerEvent): PausedTurn {
  const { pending_id, expires_at } = event.frame as PendingApproval
  return { pending_id, expires_at, seq: seqOf(event) }
}
