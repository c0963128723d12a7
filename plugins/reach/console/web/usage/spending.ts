import type { components } from '#client'
import { formatSum } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'

/** The number that charts and lists compare. */
export type Measure = 'cost' | 'tokens'

/** The sums of calls, of which some may have no known price. */
export type Spending = Pick<
  components['schemas']['UsageSums'],
  'cost' | 'total_tokens' | 'model_calls' | 'unpriced_calls' | 'unpriced_tokens'
>

/** The size of a bar; calls without a known price have no cost. */
export const sizeOf = ({ cost, total_tokens }: Spending, measure: Measure): number =>
  measure === 'tokens' ? total_tokens : (cost?.amount ?? 0)

/** A cost in words: one that is unknown is not zero. */
export const nameCost = ({ cost, model_calls }: Spending): string =>
  cost ? formatSum(cost) : model_calls > 0 ? t('usage.no_price') : '–'

/** Sorts the largest first; among those without a known price, the ones with the most tokens. */
export const byMeasure =
  (measure: Measure) =>
  (a: Spending, b: Spending): number =>
    sizeOf(b, measure) - sizeOf(a, measure) || b.total_tokens - a.total_tokens
