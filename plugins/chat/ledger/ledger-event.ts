import type { Locale, TypeOf } from '#kernel'
import { addUsage, NO_USAGE, type TokenUsage } from '#plugin-api'
import type { ModelSettings } from '../../agents/types.ts'
import type { Block } from '../documents.ts'
import type { turnFrameFields } from '../frames.ts'

/** The fields of each frame of a turn besides `thread_id`, `turn_id` and `seq`, by type. */
export type FrameFields = {
  [Type in keyof typeof turnFrameFields]: TypeOf<(typeof turnFrameFields)[Type]>
}

/** The approval that a paused turn waits for; `review_configs` has one entry for each request. */
export type PendingApproval = FrameFields['hitl_required']

/** The end of an approval; `decisions` has one entry for each request, and none if the turn was stopped. */
export type ResolvedApproval = FrameFields['hitl_resolved']

/** One call that waits for a person; `id` is that of its `tool_call`, and `args` its input. */
export type ActionRequest = PendingApproval['action_requests'][number]

/** A person's decision about one call. */
export type Decision = ResolvedApproval['decisions'][number]

/** What a person may decide. */
export type DecisionType = Decision['type']

/** The type of a frame of a turn. */
export type FrameType = keyof FrameFields

/** What an event holds besides the frame that readers of the conversation get. */
export interface EventRecord {
  /** Of `turn_started`: what the user said, which model they asked for, their language, and what the turn keeps to. */
  input?: Block[]
  model?: string
  locale?: Locale
  settings?: ModelSettings
  /** Of `usage`: what the model answered, as JSON, where the frames do not say it all; see `model-answer.ts`. */
  answer?: string
  /** Of `hitl_required`: the arguments as JSON, by the place of the request, where its `args` do not show them as they are. */
  whole_args?: Record<string, string>
  /** Of `usage`: milliseconds until the first delta; null where there was none. */
  first_token_ms?: number | null
  /** In milliseconds: how long a call took (`usage`, `tool_result`), a person (`hitl_resolved`), the turn (all that end it or pause). */
  ms?: number
}

/** One entry of the append-only ledger as it is stored; `ts` is Unix milliseconds. */
export type LedgerEvent = {
  [Type in FrameType]: {
    /** Thread and seq: the order of the ledger, and what makes a seq unique. */
    _id: string
    turn_id: string
    ts: number
    type: Type
    frame: FrameFields[Type]
    /** The process that wrote the event. */
    writer: string
  } & EventRecord
}[FrameType]

const SEQ_DIGITS = 12

/** The last seq that a thread can have. */
export const LAST_SEQ: number = 10 ** SEQ_DIGITS - 1

/** The key of an event. */
export const eventId = (thread_id: string, seq: number): string =>
  `${thread_id}:${String(seq).padStart(SEQ_DIGITS, '0')}`

/** The thread of an event. */
export const threadOf = ({ _id }: Pick<LedgerEvent, '_id'>): string => _id.slice(0, -SEQ_DIGITS - 1)

/** The seq of an event within its thread, rising by one from 1; in a fork, from behind the messages that it began with. */
export const seqOf = ({ _id }: Pick<LedgerEvent, '_id'>): number => Number(_id.slice(-SEQ_DIGITS))

/** Selects a thread's events with `after < seq <= upTo`. */
export const eventRange = (thread_id: string, after = 0, upTo = LAST_SEQ) => ({
  _id: { $gt: eventId(thread_id, after), $lte: eventId(thread_id, upTo) },
})

/** Whether an event ends its turn. */
export const isTerminal = ({ type }: Pick<LedgerEvent, 'type'>): boolean =>
  type === 'done' || type === 'error'

/** What the model calls among these events have taken. */
export const usageIn = (events: readonly LedgerEvent[]): TokenUsage =>
  events.reduce<TokenUsage>((sum, { type, frame }) => (type === 'usage' ? addUsage(sum, frame.usage) : sum), {
    ...NO_USAGE,
  })

/** The model that was called last among these events. */
export const modelIn = (events: readonly LedgerEvent[]): string | undefined =>
  events.flatMap(({ type, frame }) => (type === 'usage' ? [frame.model] : [])).at(-1)

/** The frame that readers get. */
export const frameOf = (event: LedgerEvent) => ({
  type: event.type,
  thread_id: threadOf(event),
  turn_id: event.turn_id,
  seq: seqOf(event),
  ...event.frame,
})

/** The same as JSON. */
export const frameText = (event: LedgerEvent): string => JSON.stringify(frameOf(event))
