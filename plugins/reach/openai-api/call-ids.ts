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

/** Returns the id of a call as clients see it, of at most 40 characters: it contains the place of the call. */
export const toCallId = ({ thread_id, seq, index }: CallPlace): string =>
  `${PREFIX}${thread_id.slice('thr_'.length)}${seq.toString(RADIX)}${index.toString(RADIX)}`

/** Returns the thread of a call that this server has made; undefined for other ids. */
export function threadOfCall(id: string): string | undefined {
  const [, thread] = CALL_ID.exec(id) ?? []
  return thread && `thr_${thread}`
}

/** Returns the id of the item that shows a call in a response. */
export const toItemId = (call_id: string): string => call_id.replace(PREFIX, 'fc_')
