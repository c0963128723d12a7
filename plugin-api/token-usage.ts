import { addCost, type Cost } from './cost.ts'

/** Tokens of one model call, or of several together. */
export interface TokenUsage {
  input_tokens: number
  output_tokens: number
  total_tokens: number
  /** Of the input, what the upstream had in its cache. */
  cached_input_tokens?: number
  /** Of the output, what nobody reads. */
  reasoning_tokens?: number
  /** True if the upstream did not count all of the tokens. */
  is_estimated?: boolean
  /** The cost of the calls with a known price; null if no price is known. */
  cost?: Cost | null
}

/** The measures of a call besides tokens: pictures drawn, characters spoken, seconds of audio transcribed, searches. */
export interface MediaUsage {
  pictures?: number
  characters?: number
  seconds?: number
  searches?: number
}

/** No tokens at all. */
export const NO_USAGE: Readonly<TokenUsage> = { input_tokens: 0, output_tokens: 0, total_tokens: 0 }

/** The tokens and costs of both. */
export function addUsage(one: Readonly<TokenUsage>, other: Readonly<TokenUsage>): TokenUsage {
  const sum = { ...one }
  for (const name of COUNTS) if (other[name]) sum[name] = (sum[name] ?? 0) + other[name]
  if (other.is_estimated) sum.is_estimated = true
  const cost = addCost(one.cost, other.cost)
  if (cost !== undefined) sum.cost = cost
  return sum
}

const COUNTS = [
  'input_tokens',
  'output_tokens',
  'total_tokens',
  'cached_input_tokens',
  'reasoning_tokens',
] as const
