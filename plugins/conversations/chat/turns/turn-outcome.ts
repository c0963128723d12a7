import { AppError, jointWriterOf, type Locale, type TokenUsage, toRepeatable, type Write } from '#plugin-api'
import type { MessageDocument, PausedTurn, Source, StopReason } from '../documents.ts'
import { explainRefusal } from '../filters/filter-refusal.ts'
import {
  type FrameFields,
  type LedgerEvent,
  type PendingApproval,
  seqOf,
  sumUsage,
} from '../ledger/ledger-event.ts'
import { projectTurn } from '../ledger/projection.ts'
import { isTransient } from '../ledger/transient.ts'
import { toReplacement } from '../ledger/turn-log.ts'
import { waitsForClient } from '../loop/client-tools.ts'
import type { Cradle } from '../manifest.ts'
import { sanitizeForStorage } from '../sanitize.ts'
import { toPathWrite, toProgressWrites } from '../threads/thread-progress.ts'
import type { ThreadOwner } from '../threads/threads.ts'
import type { TurnLease } from './turn-leases.ts'

/** The end of a turn as its last event describes it. */
export type TurnEnd =
  | {
      type: 'done'
      message_id: string | null
      stop_reason: StopReason
      usage: TokenUsage
      sources: readonly Source[]
    }
  | FailedTurn
  | { type: 'path_changed'; message_id: string; after: number }

interface FailedTurn {
  type: 'error'
  error: unknown
  locale: Locale
  request_id: string
}

/** The outcome of a turn that ends or pauses, which follows from its events. */
export interface TurnOutcome {
  /** Stored together with the last event. */
  writes: readonly Write[]
  /** Makes it known in this process, once it is stored. */
  note(): void
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

/** Derives the outcomes of turns from their events. */
export type TurnOutcomes = ReturnType<typeof createTurnOutcomes>

/** Creates the derivation of outcomes. */
export function createTurnOutcomes({
  collections: { threads, events: ledger },
  messages,
  turnLeases,
  recent,
  hub,
  events: bus,
  explainError,
}: Pick<Cradle, 'collections' | 'messages' | 'turnLeases' | 'recent' | 'hub' | 'events' | 'explainError'>) {
  const jointWriter = jointWriterOf(threads)

  const announce = async (
    { thread_id, turn_id, agent_id, user_id }: TurnLease,
    documents: readonly MessageDocument[],
    events: readonly LedgerEvent[],
  ) => {
    const last = events.at(-1)!
    const { stop_reason, code: error_code } = last.frame as { stop_reason?: string; code?: string }
    for (const { _id: message_id, role } of documents)
      await bus.emit('message.stored', { thread_id, message_id, role, agent_id, user_id })
    await bus.emit('turn.ended', {
      thread_id,
      turn_id,
      agent_id,
      user_id,
      started_ms: events[0]!.ts,
      ended_ms: last.ts,
      ...(stop_reason && { stop_reason }),
      ...(error_code && { error_code }),
    })
  }

  const explain = ({
    error,
    locale,
    request_id,
  }: Omit<FailedTurn, 'type'>): Omit<FrameFields['error'], 'message_id'> => {
    const { code, message, details } =
      explainRefusal(error, locale) ?? explainError(error, locale, request_id)
    const frame = { code, message, details, request_id }
    return sanitizeForStorage(frame) as typeof frame
  }

  const self = {
    /** Returns the messages of a turn that has ended and the end of its lease, as one outcome. */
    of(lease: TurnLease, events: readonly LedgerEvent[]): TurnOutcome {
      const { thread_id, turn_id, user_id, first_seq, path } = lease
      const documents = projectTurn(events)
      const last = events.at(-1)!
      if (last.type === 'path_changed')
        return {
          writes: [toPathWrite({ thread_id, turn_id, last_seq: seqOf(last) }, threads)],
          note: () => void bus.emit('thread.changed', { thread_id, user_id, agent_id: lease.agent_id }),
        }
      const progress = {
        thread_id,
        turn_id,
        last_seq: seqOf(last),
        last_message_id: documents.at(-1)?._id,
        // The time comes from the ledger, so that a rebuilt thread shows the same.
        last_active: Math.floor(last.ts / 1000),
        path,
        artifacts: documents.flatMap(({ artifacts = [] }) => artifacts),
        sources: documents.flatMap(({ sources = [] }) => sources),
        unseen: last.type === 'done' && !hub.isReading(thread_id, user_id),
      }
      return {
        writes: [...messages.toWrites(lease, documents), ...toProgressWrites(progress, threads)],
        note() {
          recent.add(thread_id, first_seq, documents, seqOf(last))
          // Listeners must not delay the turns.
          void announce(lease, documents, events)
        },
      }
    },
    /** Stores what follows from the last event of a turn whose process died right after writing it. */
    async complete(lease: TurnLease, events: readonly LedgerEvent[]): Promise<void> {
      const last = events.at(-1)!
      if (last.type === 'hitl_required')
        return jointWriter.write([turnLeases.toPauseWrite(lease, toPausedTurn(last))])
      const store = async (events: readonly LedgerEvent[], replaced: readonly Write[] = []) => {
        const { writes, note } = self.of(lease, events)
        await jointWriter.write([...replaced, ...writes.map(toRepeatable)])
        note()
      }
      try {
        await store(events)
      } catch (error) {
        if (isTransient(error)) throw error
        const refused = { ...last, type: 'error', frame: self.explainRefused(lease) } as LedgerEvent
        await store([events[0]!, refused], [toReplacement(refused, ledger)])
      }
    },
    /** Returns an error as the last event of a turn shows it, except for the message that it belongs to. */
    explain,
    /** Returns the error of a turn whose outcome can never be stored. */
    explainRefused(lease: TurnLease): FrameFields['error'] {
      const error = new AppError('TURN_NOT_STORED')
      return { ...explain({ error, locale: 'en', request_id: lease.turn_id }), message_id: emptyReply(lease) }
    },
  }
  return self
}

/** Returns the end of a turn that was stopped while it waited for a person. */
export function toStoppedEnd(events: readonly LedgerEvent[]): TurnEnd {
  return {
    type: 'done',
    message_id: findLastReply(events) ?? null,
    usage: sumUsage(events),
    stop_reason: 'stopped',
    sources: [],
  }
}

/** Returns the id of the reply that shows the end of a turn: its last one, or else an empty one. */
export const findReply = (lease: TurnLease, events: readonly LedgerEvent[]): string =>
  findLastReply(events) ?? emptyReply(lease)

const findLastReply = (events: readonly LedgerEvent[]) =>
  projectTurn(events).findLast(({ role }) => role === 'assistant')?._id

const emptyReply = ({ turn_id }: TurnLease) => turn_id.replace('trn_', 'msg_')

/** Returns the record of a turn whose last event is an approval request. */
export function toPausedTurn(event: LedgerEvent): PausedTurn {
  const pending = event.frame as PendingApproval
  const { pending_id, expires_at } = pending
  return { pending_id, expires_at, seq: seqOf(event), ...(waitsForClient(pending) && { for_client: true }) }
}
