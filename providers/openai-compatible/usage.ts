import type { JSONObject, LanguageModelV3Usage } from '@ai-sdk/provider'
import { isObject, type Json } from '#plugin-api'

/** Creates the reader of the usage in an answer: the last number above zero counts, wherever it is reported. */
export function createUsageReader() {
  let raw: Json | undefined
  let input: number | undefined
  let output: number | undefined
  let cached: number | undefined
  let reasoning: number | undefined

  return {
    /** Reads the counts of an event, which may have none, some or all. */
    read(usage: unknown): void {
      if (!isObject(usage)) return
      const prompt = findCount(usage, INPUT_NAMES)
      const completion = findCount(usage, OUTPUT_NAMES)
      if (prompt === undefined && completion === undefined) return
      raw = usage
      input = prompt ?? input
      cached = findCached(usage) ?? cached
      const thoughts = findThoughts(usage)
      reasoning = thoughts ?? reasoning
      if (completion === undefined) return
      output = completion
      // Some vendors count thoughts only in the total.
      const total = toCount(usage.total_tokens) ?? 0
      if (thoughts !== undefined && total === (input ?? 0) + completion + thoughts) output += thoughts
    },
    convert: (): LanguageModelV3Usage => ({
      inputTokens: {
        total: input,
        noCache: input === undefined ? undefined : Math.max(0, input - (cached ?? 0)),
        cacheRead: raw && (cached ?? 0),
        cacheWrite: undefined,
      },
      outputTokens: {
        total: output,
        text: output === undefined ? undefined : Math.max(0, output - (reasoning ?? 0)),
        reasoning: raw && (reasoning ?? 0),
      },
      raw: raw as JSONObject | undefined,
    }),
  }
}

/** Returns a number of tokens; undefined for what is not one, and for zero, which gateways report for unknown. */
const toCount = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined

/** The names of vendors and gateways, the first that has a count is read. */
const INPUT_NAMES = ['prompt_tokens', 'input_tokens', 'promptTokens', 'inputTokens', 'promptTokenCount']
const OUTPUT_NAMES = [
  'completion_tokens',
  'output_tokens',
  'completionTokens',
  'outputTokens',
  'candidatesTokenCount',
]

function findCount(usage: Json, names: readonly string[]): number | undefined {
  for (const name of names) {
    const count = toCount(usage[name])
    if (count !== undefined) return count
  }
  return undefined
}

const findCached = (usage: Json) =>
  countIn(usage.prompt_tokens_details, 'cached_tokens') ??
  countIn(usage.input_tokens_details, 'cached_tokens') ??
  toCount(usage.cached_tokens) ??
  toCount(usage.prompt_cache_hit_tokens)

const findThoughts = (usage: Json) =>
  countIn(usage.completion_tokens_details, 'reasoning_tokens') ??
  countIn(usage.output_tokens_details, 'reasoning_tokens') ??
  toCount(usage.reasoning_tokens)

const countIn = (details: unknown, name: string) => toCount((details as Json | null | undefined)?.[name])
