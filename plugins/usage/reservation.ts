/** Tokens of an answer that a call waits for while other calls hold the rest. */
const USEFUL_OUTPUT = 1024
/** Tokens of an answer that a call may reserve of what is free, even if that is more than half of it. */
const FAIR_OUTPUT = 4096

/** The tokens that a call asks for: its prompt, and at most so many for its answer. */
export interface Wish {
  call_id: string
  prompt: number
  output: number
  /** Takes whatever is left for the answer, however little. */
  takesAny: boolean
}

/**
 * The update that reserves what a call may take of a quota, in one step. The prompt is reserved whole; for the answer no
 * more than half of what is then free, so that calls at the same time all get a share, unless that would be little. It
 * reserves nothing if the rest is not enough for the prompt and one token, or while others hold so much that there
 * would be no useful answer.
 */
export function reservation(
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
