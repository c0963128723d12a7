import type { LanguageModelV3Usage } from '@ai-sdk/provider'
import type { TokenUsage } from '#plugin-api'

/** An upper bound for the tokens of one call; an upstream that reports more is wrong. */
const MAX_TOKENS = 1e8

/** Returns a number of tokens that an upstream reports; undefined unless it is a whole number, and zero unknown. */
const toCount = (reported: unknown): number | undefined =>
  Number.isInteger(reported) && (reported as number) > 0 && (reported as number) <= MAX_TOKENS
    ? (reported as number)
    : undefined

/**
 * The tokens that an upstream reports for a call. A number that is missing, zero or absurd is taken from the estimate,
 * and the usage is marked.
 */
export function usageOf(
  { inputTokens, outputTokens }: LanguageModelV3Usage,
  estimate: () => { input_tokens: number; output_tokens: number },
): TokenUsage {
  const counted = { input_tokens: toCount(inputTokens.total), output_tokens: toCount(outputTokens.total) }
  const is_estimated = counted.input_tokens === undefined || counted.output_tokens === undefined
  const estimated = is_estimated ? estimate() : undefined
  const input_tokens = counted.input_tokens ?? estimated!.input_tokens
  const output_tokens = counted.output_tokens ?? estimated!.output_tokens
  const cached_input_tokens = Math.min(toCount(inputTokens.cacheRead) ?? 0, input_tokens)
  const reasoning_tokens = Math.min(toCount(outputTokens.reasoning) ?? 0, output_tokens)
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...(cached_input_tokens > 0 && { cached_input_tokens }),
    ...(reasoning_tokens > 0 && { reasoning_tokens }),
    ...(is_estimated && { is_estimated }),
  }
}
