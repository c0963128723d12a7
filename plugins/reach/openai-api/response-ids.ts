import { AppError } from '#kernel'

/** The turn that a response shows, or the part of it after the event `after`. */
export interface ResponsePlace {
  thread_id: string
  turn_id: string
  after?: number
}

const RESPONSE_ID = /^resp_([0-9A-Z]{26})([0-9A-Z]{26})([0-9a-z]{0,8})$/
const RADIX = 36

/** Returns the id of a response, which is made of those of its thread and its turn. */
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
