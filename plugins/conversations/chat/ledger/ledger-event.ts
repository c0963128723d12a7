import { addUsage, type Locale, NO_USAGE, type TokenUsage, type TypeOf } from '#plugin-api'
import type { AttachedDocument } from '../attached-documents.ts'
import type { Block, TurnSettings } from '../documents.ts'
import type { AnswerEnding } from '../loop/model-answer.ts'
import type { turnFrameFields } from '../turn-frames.ts'

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

/** The ways in which a person may decide. */
export type DecisionType = Decision['type']

/** The type of a frame of a turn. */
export type FrameType = keyof FrameFields

/** The fields of an event besides the frame that readers of the conversation receive. */
export interface EventRecord {
  /**
   * Of `turn_started`: the user's message, the documents attached to it, the requested model, the language, and the settings of the turn, which a
   * `hitl_resolved` with results of a program replaces.
   */
  input?: Block[]
  documents?: AttachedDocument[]
  /** Of `turn_started`: the message comes from elsewhere and may be somebody else's. */
  is_copied?: true
  /**
   * The position that the turn continues from, unless that is the event before it; of `path_changed`, the end of the
   * path.
   */
  after?: number
  model?: string
  locale?: Locale
  settings?: TurnSettings
  /** Of `usage`: the model's answer as JSON, if the frames do not contain all of it; see `model-answer.ts`. */
  answer?: string
  /**
   * Of `hitl_required`: arguments as JSON, by the index of the request, if its `args` do not show them unchanged; those
   * for a program are as the model wrote them.
   */
  whole_args?: Record<string, string>
  /** Of `hitl_resolved`: the results that a program sent, one for each request. */
  results?: string[]
  /** Of `attachment`: true for a picture that the model sees with the result of the call. */
  for_model?: true
  /** Of `usage`: how the answer ended, unless it is complete. */
  finish_reason?: Exclude<AnswerEnding, 'complete'>
  /** Of `usage`: milliseconds until the first delta; null without one. */
  first_token_ms?: number | null
  /**
   * The duration in milliseconds of a call (`usage`, `tool_result`), of a person's decision (`hitl_resolved`), or of
   * the turn (events that end or pause it).
   */
  ms?: number
}

/** An entry of the append-only ledger as it is stored; `ts` is Unix milliseconds. */
export type LedgerEvent = {
  [Type in FrameType]: {
    /** The thread and the seq, which define the order of the ledger and make a seq unique. */
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

/** The largest seq of a thread. */
export const LAST_SEQ: number = 10 ** SEQ_DIGITS - 1

/** Returns the key of an event. */
export const eventId = (thread_id: string, seq: number): string =>
  `${thread_id}:${String(seq).padStart(SEQ_DIGITS, '0')}`

/** Returns the thread of an event. */
export const threadOf = ({ _id }: Pick<LedgerEvent, '_id'>): string => _id.slice(0, -SEQ_DIGITS - 1)

/**
 * Returns the seq of an event within its thread. It rises by one from 1; in a fork, it continues after the messages
 * that the fork began with.
 */
export const seqOf = ({ _id }: Pick<LedgerEvent, '_id'>): number => Number(_id.slice(-SEQ_DIGITS))

/** Selects a thread's events with `after < seq <= upTo`. */
export const eventRange = (thread_id: string, after = 0, upTo = LAST_SEQ) => ({
  _id: { $gt: eventId(thread_id, after), $lte: eventId(thread_id, upTo) },
})

/** The events that end their turn; a `path_changed` is the only event of its turn. */
export const TERMINAL_TYPES: ReadonlySet<FrameType> = new Set(['done', 'error', 'path_changed'])

/** True if an event ends its turn. */
export const isTerminal = ({ type }: Pick<LedgerEvent, 'type'>): boolean => TERMINAL_TYPES.has(type)

/** Adds up the tokens of the model calls among these events. */
export const sumUsage = (events: readonly LedgerEvent[]): TokenUsage =>
  events.reduce<TokenUsage>((sum, { type, frame }) => (type === 'usage' ? addUsage(sum, frame.usage) : sum), {
    ...NO_USAGE,
  })

/** The model in the usage of answers that another server may have given. */
export const UNKNOWN_MODEL = 'unknown:unknown'

/** Returns the model that a turn uses after these events: that of its last own call on this server, or its fallback. */
export function findLastModel(events: readonly LedgerEvent[]): string | undefined {
  let model: string | undefined
  for (const { type, frame } of events)
    if (type === 'usage') {
      // A task may be another agent's, with a model of its own.
      if (frame.parent_tool_call_id === undefined && frame.model !== UNKNOWN_MODEL) model = frame.model
    } else if (type === 'notice' && frame.code === 'MODEL_FALLBACK' && frame.details?.from === model) {
      model = String(frame.details?.to)
    }
  return model
}

/** Returns the frame of an event of a thread as JSON. */
export const frameText = (
  { type, turn_id, frame }: Pick<LedgerEvent, 'type' | 'turn_id' | 'frame'>,
  thread_id: string,
  seq: number,
): string => JSON.stringify({ type, thread_id, ...(type !== 'path_changed' && { turn_id }), seq, ...frame })
