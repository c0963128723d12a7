import { toBillionths } from '#plugin-api'

/** The time after which an abandoned reservation expires and a charged batch is forgotten, in milliseconds. */
export const KEPT_MS = 15 * 60_000
/** A reservation that a crash loses would have been released anyway. */
export const NOT_IN_JOURNAL = { writeConcern: { w: 1, journal: false } } as const
/** The smallest useful number of answer tokens: a call waits for them while other calls hold the rest. */
const USEFUL_OUTPUT = 1024
/** The number of free tokens that a call may reserve for its answer even if that is more than half of them. */
const FAIR_OUTPUT = 4096
/** More tokens than any call asks for. */
const UNLIMITED = Number.MAX_SAFE_INTEGER

/** The demand of a call: its prompt, and at most `output` tokens for its answer. */
export interface Wish {
  call_id: string
  prompt: number
  output: number
  /** The cost of the prompt and of one token of the answer, in billionths; null if the price is not known. */
  cost: { prompt: number; token: number } | null
  /** Accepts whatever is left for the answer, however little. */
  takesAny: boolean
}

/** The used and reserved parts of a quota and a budget at present; money in billionths. */
export interface Use {
  used: number
  reserved: number
  spent: number
  reserved_cost: number
  /** The end of the window of the budget in Unix seconds; null without a budget. */
  resets_at: number | null
}

/** The limits of a reservation; `used` and `spent` are expressions for what is taken of them. */
export interface ReservationLimits {
  quota?: { tokens: number; used: unknown } | undefined
  /** `amount` is in units of the currency. */
  budget?: { amount: number; spent: unknown } | undefined
  /** The time at which the reservation expires, in Unix milliseconds. */
  until: number
}

/** Returns the expression for the reservations that are neither expired nor ended. */
export const liveHolds = (now: number, ended: readonly string[] = []) => ({
  $filter: {
    input: { $ifNull: ['$holds', []] },
    cond: {
      $and: [{ $gt: ['$$this.until', now] }, { $not: { $in: ['$$this.call_id', { $literal: ended }] } }],
    },
  },
})

/** Returns the cost of a call with at most this much of an answer. */
export const costOfWish = ({ cost }: Pick<Wish, 'cost'>, output: number): number =>
  cost ? Math.ceil(cost.prompt + output * cost.token) : 0

/**
 * Returns the update that reserves tokens and money for a call, in one step. The prompt is reserved in full; the answer
 * gets at most half of the tokens that are then free or can be paid (or FAIR_OUTPUT), so that simultaneous calls all get
 * a share. Nothing is reserved if the rest is not enough for the prompt and one token, or if other calls hold so much
 * that no useful answer is possible.
 */
export function reservationOf(wish: Wish, { quota, budget, until }: ReservationLimits) {
  const { call_id, prompt, output, cost, takesAny } = wish
  const useful = takesAny ? 1 : Math.min(output, USEFUL_OUTPUT)
  const share = { $max: [FAIR_OUTPUT, { $floor: { $divide: ['$$room', 2] } }] }
  const answer = { $min: [output, '$$room', share] }
  const hold = {
    call_id: { $literal: call_id },
    tokens: { $add: [prompt, answer] },
    ...(cost && { cost: { $floor: { $add: [cost.prompt, { $multiply: [cost.token, answer] }] } } }),
    until,
  }
  return {
    $let: {
      vars: {
        room: {
          $min: [UNLIMITED, ...(quota ? [toFreeTokens(wish, quota)] : []), ...toPaidTokens(wish, budget)],
        },
      },
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

/** Returns the expression for the answer tokens that are free in a quota. */
const toFreeTokens = ({ prompt }: Wish, { tokens, used }: { tokens: number; used: unknown }) => ({
  $subtract: [tokens - prompt, { $add: [used, { $sum: '$holds.tokens' }] }],
})

/** Returns the expression for the answer tokens that a budget can pay; none if the call costs nothing. */
function toPaidTokens({ cost }: Wish, budget: ReservationLimits['budget']): object[] {
  if (!budget || !cost || (cost.prompt === 0 && cost.token === 0)) return []
  const left = {
    $subtract: [toBillionths(budget.amount) - cost.prompt, { $add: [budget.spent, { $sum: '$holds.cost' }] }],
  }
  if (cost.token > 0) return [{ $floor: { $divide: [left, cost.token] } }]
  return [{ $cond: [{ $gte: [left, 0] }, UNLIMITED, -1] }]
}
