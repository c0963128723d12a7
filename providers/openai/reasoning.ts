import type { ReasoningLevel } from '#plugin-api'

/** The families of models that reason, including fine-tuned ones; others refuse such settings. */
const REASONING = /^(?:ft:)?(?:o\d|gpt-(?:[5-9]|1\d)(?!-chat))/

/** True if this model of OpenAI reasons. */
export const isReasoning = (modelId: string): boolean => REASONING.test(modelId)

/** The least effort of each family, the first match wins; all other models support `low`. */
const LEAST_EFFORTS: readonly [RegExp, string][] = [
  [/codex/i, 'low'],
  [/gpt-?5\.\d|gpt-?6-(?:sol|luna)/i, 'none'],
  [/gpt-?5/i, 'minimal'],
]

/** Returns the effort of a model for a level; undefined for models with a single effort. */
export function toEffort(level: ReasoningLevel, modelId: string): string | undefined {
  if (/-pro\b/i.test(modelId)) return undefined
  if (level !== 'off') return level
  return LEAST_EFFORTS.find(([names]) => names.test(modelId))?.[1] ?? 'low'
}
