import type { ModelCallOptions } from '#plugin-api'

/** The tokens of an answer of a model whose limit is not known. */
export const DEFAULT_OUTPUT_TOKENS = 16_384

/** The limits of early models of Claude, which the client library underestimates or does not know. */
const EARLY_LIMITS: readonly (readonly [RegExp, number])[] = [
  [/claude-3-7/, DEFAULT_OUTPUT_TOKENS],
  [/claude-3-5/, 8192],
  [/claude-(?:v?2|instant|3)(?=$|[-.:])/, 4096],
]

/** The limits that the adaptations of the same names set. */
const ADAPTED_LIMITS: Record<string, number> = { output_8192: 8192, output_4096: 4096 }

/** Returns the limit of an answer; undefined for models whose limit the client library knows. */
export const limitOutput = (
  modelId: string,
  { maxOutputTokens, adaptations }: Pick<ModelCallOptions, 'maxOutputTokens' | 'adaptations'>,
): number | undefined => capOutput(maxOutputTokens ?? chooseLimit(modelId), adaptations)

/** Returns the lowest of a limit and the limits of the adaptations. */
export function capOutput(
  limit: number | undefined,
  adaptations: readonly string[] = [],
): number | undefined {
  const limits = adaptations.flatMap((name) => ADAPTED_LIMITS[name] ?? [])
  if (limit !== undefined) limits.push(limit)
  return limits.length > 0 ? Math.min(...limits) : undefined
}

function chooseLimit(modelId: string): number | undefined {
  const early = EARLY_LIMITS.find(([pattern]) => pattern.test(modelId))
  if (early) return early[1]
  return modelId.includes('claude-') ? undefined : DEFAULT_OUTPUT_TOKENS
}
