/** Models that can think, by their names; others refuse to be asked for thoughts. */
const THINKING = /(^|\/)gemini-(2\.5|[3-9]|\d\d|robotics-er|(pro|flash|flash-lite)-latest)/
const NOT_THINKING = /image|tts|audio|live|transcri|embedding/

/** Google's settings of thinking for a model, thoughts included where there are any; undefined leaves it to the model. */
export type Thinking = { includeThoughts?: boolean; thinkingBudget?: number; thinkingLevel?: string }

/** Chooses the settings: Gemini 2.5 takes only a budget, later ones take a level or a budget, and none takes both. */
export function thinkingOf(modelId: string, options: Record<string, unknown>): Thinking | undefined {
  if (!THINKING.test(modelId) || NOT_THINKING.test(modelId)) return undefined
  const level = options.thinking_level as string | undefined
  const budget = options.thinking_budget as number | undefined
  const isEarly = /gemini-2\.5/.test(modelId)
  if (level !== undefined && !isEarly) return { includeThoughts: true, thinkingLevel: level }
  // Thoughts may not be asked for where there will be none.
  if (budget === 0) return { thinkingBudget: 0 }
  if (budget === undefined && /gemini-2\.5-flash-lite/.test(modelId)) return undefined
  return { includeThoughts: true, thinkingBudget: budget }
}
