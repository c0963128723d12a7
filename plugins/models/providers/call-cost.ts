import type { MediaUsage, ModelPrice, TokenUsage } from '#plugin-api'

const MILLION = 1_000_000
const SECONDS_PER_MINUTE = 60

/** The most that one call is believed to cost, in the currency of the price. */
const MAX_COST = 100_000

/**
 * Returns the cost of a call in US dollars; undefined if the price is not known. A price of pictures, characters or minutes
 * takes the place of the price of tokens.
 */
export function costOf(
  price: ModelPrice | undefined,
  usage: TokenUsage,
  media: MediaUsage = {},
): number | undefined {
  if (price?.currency !== 'USD') return undefined
  const cost = costOfMedia(price, media) ?? costOfTokens(price, usage)
  return cost === undefined ? undefined : Math.min(cost, MAX_COST)
}

function costOfMedia(price: ModelPrice, { pictures, characters, seconds }: MediaUsage): number | undefined {
  const { image, million_characters, minute } = price
  if (pictures !== undefined && image != null) return pictures * image
  if (characters !== undefined && million_characters != null)
    return (characters / MILLION) * million_characters
  return seconds !== undefined && minute != null ? (seconds / SECONDS_PER_MINUTE) * minute : undefined
}

function costOfTokens(
  { input, output, cache_read }: ModelPrice,
  { input_tokens, output_tokens, cached_input_tokens = 0 }: TokenUsage,
): number | undefined {
  if ((input === null && input_tokens > 0) || (output === null && output_tokens > 0)) return undefined
  const cached = Math.min(cached_input_tokens, input_tokens)
  const read = (input_tokens - cached) * (input ?? 0) + cached * (cache_read ?? input ?? 0)
  return (read + output_tokens * (output ?? 0)) / MILLION
}
