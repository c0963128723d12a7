/** The smallest useful number of answer tokens: a call waits for them while other calls hold the rest. */
const USEFUL_OUTPUT = 1024
/** The number of free tokens that a call may reserve for its answer even if that is more than half of them. */
const FAIR_OUTPUT = 4096

/** The tokens that a call asks for: its prompt, and at most `output` for its answer. */
export interface Wish {
  call_id: string
  prompt: number
  output: number
  /** Accepts whatever is left for the answer, however little. */
  takesAny: boolean
}

/**
 * Returns the update that reserves tokens of a quota for a call, in one step. The prompt is reserved in full; the
 * answer gets at most half of the tokens that are then free (or FAIR_OUTPUT), so that simultaneous calls all get a
 * share. Nothing is reserved if the rest is not enough for the prompt and one token, or if other calls hold so much
 * that no useful answer is possible.
 */
export function toReservationUpdate(
  { call_id, prompt, output, takesAny }: Wish,
  { quota, used, until }: { quota: number; used: unknown; until: number },
) {
  const useful = takesAny ? 1 : Math.min(output, USEFUL_OUTPUT)
  const share = { $max: [FAIR_OUTPUT, { $floor: { $divide: ['$$room', 2] } }] }
  const hold = {
    call_id: { $literal: call_id },
    tokens: { $add: [prompt, { $min: [output, '$$room', share] }] },
    until,
  }
  return {
    $let: {
      vars: { room: { $subtract: [quota - prompt, { $add: [used, { $sum: '$holds.tokens' }] }] } },
      in: {
        $cond: [
          { $gte: ['$$room', { $cond: [{ $eq: ['$holds', []] }, 1, useful] }] },
          { $concatArrays: ['$holds', [hold]] },
          '$holds',
        ],
      },
    },
  }
}
