import { AppError } from '#plugin-api'

/** The place of a call that waits for its result: the pause of its turn, and its position in that pause. */
export interface CallPlace {
  thread_id: string
  /** The seq of the pause. */
  seq: number
  index: number
}

const PREFIX = 'call_'
const RADIX = 36
const CALL_ID = /^call_([0-9A-Z]{26})([0-9a-z]{1,8})([0-9a-z])$/

/** Returns the id of a call as clients see it, of at most 40 characters: it contains where the call is. */
export const toCallId = ({ thread_id, seq, index }: CallPlace): string =>
  `${PREFIX}${thread_id.slice('thr_'.length)}${seq.toString(RADIX)}${index.toString(RADIX)}`

/** Returns the thread of a call that this server has made; undefined for other ids. */
export function threadOfCall(id: string): string | undefined {
  const [, thread] = CALL_ID.exec(id) ?? []
  return thread && `thr_${thread}`
}

/** Returns the id of the item that shows a call in a response. */
export const toItemId = (call_id: string): string => call_id.replace(PREFIX, 'fc_')

/** The turn that a response shows, or the part of it after the event `after`. */
export interface ResponsePlace {
  thread_id: string
  turn_id: string
  after?: number
}

const RESPONSE_ID = /^resp_([0-9A-Z]{26})([0-9A-Z]{26})([0-9a-z]{0,8})$/

/** Returns the id of a response, which is made of the ids of its thread and its turn. */
export const toResponseId = ({ thread_id, turn_id, after }: ResponsePlace): string =>
  `resp_${thread_id.slice('thr_'.length)}${turn_id.slice('trn_'.length)}${after?.toString(RADIX) ?? ''}`

/** Returns the turn of a response; throws RESPONSE_NOT_FOUND. */
export function readResponseId(id: string): ResponsePlace {
  const [, thread, turn, after] = RESPONSE_ID.exec(id) ?? []
  if (!thread) throw new AppError('RESPONSE_NOT_FOUND')
  return {
    thread_id: `thr_${thread}`,
    turn_id: `trn_${turn}`,
    ...(after && { after: Number.parseInt(after, RADIX) }),
  }
}
