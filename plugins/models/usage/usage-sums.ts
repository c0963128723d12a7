import type { Filter } from 'mongodb'
import { type Cost, fromBillionths } from '#plugin-api'
import type { UsageSums } from './schemas.ts'
import type { UsageDocument } from './types.ts'

/** The calls that a report is about; times are Unix seconds, `from` included, `to` excluded. */
export interface UsageFilter {
  from?: number
  to?: number
  agent_id?: string
  thread_id?: string
  user_id?: string
}

/** Sums as the database adds them up. */
export type StoredSums = Omit<UsageSums, 'cost'> & { cost_billionths: number }

/** Sums of no calls. */
export const NOTHING: Readonly<StoredSums> = {
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  total_tokens: 0,
  estimated_tokens: 0,
  model_calls: 0,
  cost_billionths: 0,
  unpriced_calls: 0,
  unpriced_tokens: 0,
}
/** The sums that a report has only if there is something to sum up. */
export const EXTRAS = ['pictures', 'characters', 'seconds', 'searches'] as const

const NAMES = [...(Object.keys(NOTHING) as (keyof StoredSums)[]), ...EXTRAS]
/** Adds up sums of groups. */
export const TOTALS = Object.fromEntries(NAMES.map((name) => [name, { $sum: `$${name}` }]))
/** Adds up rows; a cost in an earlier currency of the server counts as unknown. */
export const sumsIn = (currency: string) => {
  const isPriced = { $eq: ['$currency', currency] }
  return {
    ...TOTALS,
    estimated_tokens: { $sum: { $cond: ['$is_estimated', '$total_tokens', 0] } },
    model_calls: { $sum: { $cond: [{ $eq: ['$purpose', 'search'] }, 0, 1] } },
    cost_billionths: { $sum: { $cond: [isPriced, '$cost_billionths', 0] } },
    unpriced_calls: { $sum: { $cond: [isPriced, 0, 1] } },
    unpriced_tokens: { $sum: { $cond: [isPriced, 0, '$total_tokens'] } },
  }
}

/** Returns what calls cost together; null if the price of none is known. */
export const toCost = (
  {
    model_calls,
    searches = 0,
    unpriced_calls,
    cost_billionths,
  }: Pick<StoredSums, 'model_calls' | 'searches' | 'unpriced_calls' | 'cost_billionths'>,
  currency: string,
): Cost | null =>
  model_calls + searches > unpriced_calls ? { amount: fromBillionths(cost_billionths), currency } : null

/** Returns the filter for the rows of calls, which ends with the current second. */
export const readFilter = ({ from, to, ...fields }: UsageFilter, now: number): Filter<UsageDocument> => ({
  ...fields,
  ts: { ...(from !== undefined && { $gte: from }), $lt: to ?? now + 1 },
})
