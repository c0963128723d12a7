import {
  type Cost,
  fromBillionths,
  isObject,
  type MediaUsage,
  type ModelPrice,
  type TokenUsage,
  toBillionths,
} from '#plugin-api'

const MILLION = 1_000_000
const SECONDS_PER_MINUTE = 60

/** The most that one call is believed to cost, in the currency of the price. */
const MAX_COST = 100_000

/** The usage that a price is multiplied by; `cache_write_tokens` are the input tokens that the upstream cached. */
interface PricedUsage extends TokenUsage {
  cache_write_tokens?: number
}

/**
 * Returns the cost of a call; null if the price is not known. A price of pictures, characters or minutes takes the
 * place of the price of tokens.
 */
export function costOf(
  price: ModelPrice | undefined,
  usage: PricedUsage,
  media: MediaUsage = {},
): Cost | null {
  if (!price) return null
  const amount = costOfMedia(price, media) ?? costOfTokens(price, usage)
  return amount === undefined ? null : toCost(amount, price.currency)
}

/**
 * Estimates the cost of a call before it is made, in billionths: of its prompt, or of the pictures, characters or minutes
 * that it asks for, and of one token of its answer; null if the price is not known.
 */
export function estimateCost(
  price: ModelPrice | undefined,
  { prompt, output }: { prompt: number; output: number },
  media: MediaUsage = {},
): { prompt: number; token: number } | null {
  if (!price) return null
  const ofMedia = costOfMedia(price, media)
  if (ofMedia !== undefined) return { prompt: toBillionths(ofMedia), token: 0 }
  const ofPrompt = costOfTokens(price, { input_tokens: prompt, output_tokens: 0, total_tokens: prompt })
  if (ofPrompt === undefined || (price.output === null && output > 0)) return null
  return { prompt: toBillionths(ofPrompt), token: toBillionths(price.output ?? 0) / MILLION }
}

/**
 * Returns the cost that an upstream reports with its usage, in US dollars; undefined if it reports none. OpenRouter
 * and LiteLLM send a number, Perplexity an object with a total.
 */
export function readReportedCost(usage: unknown): Cost | undefined {
  if (!isObject(usage)) return undefined
  const { cost, cost_details, is_byok } = usage
  const amount = isObject(cost) ? cost.total_cost : cost
  if (!isAmount(amount)) return undefined
  // With a key of the customer, OpenRouter reports its fee and what the vendor charges apart.
  const charged = is_byok === true && isObject(cost_details) ? cost_details.upstream_inference_cost : 0
  return toCost(amount + (isAmount(charged) ? charged : 0), 'USD')
}

const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0

const toCost = (amount: number, currency: string): Cost => ({
  amount: fromBillionths(toBillionths(Math.min(amount, MAX_COST))),
  currency,
})

function costOfMedia(price: ModelPrice, { pictures, characters, seconds }: MediaUsage): number | undefined {
  const { image, million_characters, minute } = price
  if (pictures !== undefined && image != null) return pictures * image
  if (characters !== undefined && million_characters != null)
    return (characters / MILLION) * million_characters
  return seconds !== undefined && minute != null ? (seconds / SECONDS_PER_MINUTE) * minute : undefined
}

function costOfTokens(
  { input, output, cache_read, cache_write }: ModelPrice,
  { input_tokens, output_tokens, cached_input_tokens = 0, cache_write_tokens = 0 }: PricedUsage,
): number | undefined {
  if ((input === null && input_tokens > 0) || (output === null && output_tokens > 0)) return undefined
  const read = Math.min(cached_input_tokens, input_tokens)
  const written = Math.min(cache_write_tokens, input_tokens - read)
  const prompt =
    (input_tokens - read - written) * (input ?? 0) +
    read * (cache_read ?? input ?? 0) +
    written * (cache_write ?? input ?? 0)
  return (prompt + output_tokens * (output ?? 0)) / MILLION
}
