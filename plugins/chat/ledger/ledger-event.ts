import type { Block, Usage } from '../documents.ts'

/** What happens in a delegation names the call that delegated; `message_id` is that of the call's result. */
interface Delegated {
  parent_tool_call_id?: string
}

/** What each type of frame of a turn carries besides `thread_id`, `turn_id` and `seq`. */
export interface FrameFields {
  turn_started: { message_id: string; client_message_id?: string }
  content: { message_id: string; content: string }
  reasoning: { message_id: string; content: string }
  tool_call: Delegated & { message_id: string; tool_call_id: string; name: string; input: unknown }
  tool_result: Delegated & {
    message_id: string
    tool_call_id: string
    name: string
    output: string
    is_error: boolean
  }
  attachment: Delegated & {
    message_id: string
    kind: 'image' | 'video' | 'audio' | 'file'
    path: string
    filename: string
    media_type: string
    url: string | null
  }
  usage: Delegated & { message_id: string; usage: Usage; model: string }
  done: { message_id: string | null; usage: Usage; stop_reason: 'end' | 'stopped' | 'max_steps' }
  error: { code: string; message: string; details: Record<string, unknown>; request_id: string }
}

/** The type of a frame of a turn. */
export type FrameType = keyof FrameFields

/** One entry of the append-only ledger as it is stored; `ts` is Unix milliseconds. */
export type LedgerEvent = {
  [Type in FrameType]: {
    /** Thread and seq: the order of the ledger, and what makes a seq unique. */
    _id: string
    turn_id: string
    ts: number
    type: Type
    frame: FrameFields[Type]
    /** What the user said, in the event that begins a turn; clients have it already. */
    input?: Block[]
    /** The process that wrote the event. */
    writer: string
  }
}[FrameType]

const SEQ_DIGITS = 12

/** The key of an event. */
export const eventId = (thread_id: string, seq: number): string =>
  `${thread_id}:${String(seq).padStart(SEQ_DIGITS, '0')}`

/** The thread of an event. */
export const threadOf = ({ _id }: Pick<LedgerEvent, '_id'>): string => _id.slice(0, -SEQ_DIGITS - 1)

/** The seq of an event within its thread, rising by one from 1. */
export const seqOf = ({ _id }: Pick<LedgerEvent, '_id'>): number => Number(_id.slice(-SEQ_DIGITS))

/** Selects a thread's events with `after < seq <= upTo`. */
export const eventRange = (thread_id: string, after = 0, upTo = 10 ** SEQ_DIGITS - 1) => ({
  _id: { $gt: eventId(thread_id, after), $lte: eventId(thread_id, upTo) },
})

/** Whether an event ends its turn. */
export const isTerminal = ({ type }: Pick<LedgerEvent, 'type'>): boolean =>
  type === 'done' || type === 'error'

/** The frame that readers get, as JSON. */
export const frameText = (event: LedgerEvent): string =>
  JSON.stringify({
    type: event.type,
    thread_id: threadOf(event),
    turn_id: event.turn_id,
    seq: seqOf(event),
    ...event.frame,
  })
