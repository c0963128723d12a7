import type { ReasoningLevel } from '#plugin-api'

/** Families that reason, fine-tuned ones included: others refuse what has to do with it. */
const REASONING = /^(?:ft:)?(?:o\d|gpt-(?:[5-9]|1\d)(?!-chat))/

/** True for the id of a model of OpenAI's that reasons. */
export const isReasoning = (modelId: string): boolean => REASONING.test(modelId)

/** The least effort that families know, the first that fits; all others know `low`. */
const LEAST_EFFORTS: readonly [RegExp, string][] = [
  [/codex/i, 'low'],
  [/gpt-?5\.\d|gpt-?6-(?:sol|luna)/i, 'none'],
  [/gpt-?5/i, 'minimal'],
]

/** The effort at a level, by the name of the model; undefined for those that have but one. */
export function effortAt(level: ReasoningLevel, modelId: string): string | undefined {
  if (/-pro\b/i.test(modelId)) return undefined
  if (level !== 'off') return level
  return LEAST_EFFORTS.find(([names]) => names.test(modelId))?.[1] ?? 'low'
}
