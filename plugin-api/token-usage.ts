import type { LanguageModelV3Usage } from '@ai-sdk/provider'

/** Tokens of one model call, or of several together. */
export interface TokenUsage {
  input_tokens: number
  output_tokens: number
  total_tokens: number
  /** Of the input, what the upstream had in its cache. */
  cached_input_tokens?: number
  /** Of the output, what nobody reads. */
  reasoning_tokens?: number
}

/** No tokens at all. */
export const NO_USAGE: Readonly<TokenUsage> = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }

/** The tokens of both. */
export function addUsage(one: Readonly<TokenUsage>, other: Readonly<TokenUsage>): TokenUsage {
  const sum = { ...one }
  for (const name of Object.keys(other) as (keyof TokenUsage)[]) sum[name] = (sum[name] ?? 0) + other[name]!
  return sum
}

/** The tokens that an upstream reports for a call; a missing number counts as zero. */
export function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): TokenUsage {
  const input_tokens = inputTokens.total ?? 0
  const output_tokens = outputTokens.total ?? 0
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    ...(inputTokens.cacheRead ? { cached_input_tokens: inputTokens.cacheRead } : {}),
    ...(outputTokens.reasoning ? { reasoning_tokens: outputTokens.reasoning } : {}),
  }
}
