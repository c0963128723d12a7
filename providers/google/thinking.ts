import type { ModelCallOptions } from '#plugin-api'

/** Models that can think, by their names; others refuse to be asked for thoughts. */
const THINKING = /(^|\/)gemini-(2\.5|[3-9]|\d\d|robotics-er|(pro|flash|flash-lite)-latest)/
const NOT_THINKING = /image|tts|audio|live|transcri|embedding/

/** Tokens for thoughts at the levels of a call, as Google's own endpoint for OpenAI's clients has them. */
const BUDGETS = { low: 1024, medium: 8192, high: 24_576 } as const

/** The least that Gemini 2.5 Pro thinks; the others of 2.5 can do without. */
const LEAST_OF_PRO = 128

/** Google's settings of thinking for a model, thoughts included where there are any; undefined leaves it to the model. */
export type Thinking = { includeThoughts?: boolean; thinkingBudget?: number; thinkingLevel?: string }

/** Chooses the settings: Gemini 2.5 takes only a budget, later ones take a level or a budget, and none takes both. */
export function thinkingOf(
  modelId: string,
  options: Record<string, unknown>,
  { reasoning, maxOutputTokens }: Pick<ModelCallOptions, 'reasoning' | 'maxOutputTokens'>,
): Thinking | undefined {
  if (!THINKING.test(modelId) || NOT_THINKING.test(modelId)) return undefined
  const isEarly = /gemini-2\.5/.test(modelId)
  if (reasoning) return isEarly ? budgetOf(modelId, reasoning, maxOutputTokens) : levelOf(modelId, reasoning)
  const level = options.thinking_level as string | undefined
  const budget = options.thinking_budget as number | undefined
  if (level !== undefined && !isEarly) return { includeThoughts: true, thinkingLevel: level }
  // Thoughts may not be asked for where there will be none.
  if (budget === 0) return { thinkingBudget: 0 }
  if (budget === undefined && /gemini-2\.5-flash-lite/.test(modelId)) return undefined
  return { includeThoughts: true, thinkingBudget: budget }
}

type Level = NonNullable<ModelCallOptions['reasoning']>

function budgetOf(modelId: string, level: Level, limit = Number.POSITIVE_INFINITY): Thinking {
  const least = modelId.includes('-pro') ? LEAST_OF_PRO : 0
  // Thoughts count towards the limit of the answer, so they get half of it at most.
  const budget = level === 'off' ? 0 : Math.min(BUDGETS[level], Math.floor(limit / 2))
  if (budget < BUDGETS.low) return { thinkingBudget: least }
  return { includeThoughts: true, thinkingBudget: budget }
}

/** The models named Pro cannot do without thoughts, and the first of them knew no level between low and high. */
function levelOf(modelId: string, level: Level): Thinking {
  const isPro = modelId.includes('-pro')
  if (level === 'off') return { thinkingLevel: isPro ? 'low' : 'minimal' }
  const isFirstPro = /gemini-3-pro/.test(modelId)
  return { includeThoughts: true, thinkingLevel: isFirstPro && level === 'medium' ? 'high' : level }
}
