import { AppError } from '#kernel'

/** The turn that a response shows. */
export interface ResponsePlace {
  thread_id: string
  turn_id: string
}

const RESPONSE_ID = /^resp_([0-9A-Z]{26})([0-9A-Z]{26})$/

/** Returns the id of a response, which is made of those of its thread and its turn. */
export const toResponseId = ({ thread_id, turn_id }: ResponsePlace): string =>
  `resp_${thread_id.slice('thr_'.length)}${turn_id.slice('trn_'.length)}`

/** Returns the turn of a response; throws RESPONSE_NOT_FOUND. */
export function readResponseId(id: string): ResponsePlace {
  const [, thread, turn] = RESPONSE_ID.exec(id) ?? []
  if (!thread) throw new AppError('RESPONSE_NOT_FOUND')
  return { thread_id: `thr_${thread}`, turn_id: `trn_${turn}` }
}
