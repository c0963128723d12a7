import type { ModelCallOptions } from '#plugin-api'
import type { GoogleOptions } from './connection.ts'

/** The names of models that can think; other models refuse thinking settings. */
const THINKING = /(^|\/)gemini-(2\.5|[3-9]|\d\d|robotics-er|(pro|flash|flash-lite)-latest)/
const NOT_THINKING = /image|tts|audio|live|transcri|embedding/

/** The thinking budgets, in tokens, for the levels of a call, as in Google's own endpoint for OpenAI's clients. */
const BUDGETS = { low: 1024, medium: 8192, high: 24_576 } as const

/** The smallest budget of Gemini 2.5 Pro; other models of 2.5 can work without thoughts. */
const MIN_PRO_BUDGET = 128

/** Google's thinking settings. */
type Thinking = { includeThoughts?: boolean; thinkingBudget?: number; thinkingLevel?: string }

/**
 * Chooses the thinking settings of a model; undefined leaves them to the model. Gemini 2.5 accepts only a budget, later
 * models accept either a level or a budget.
 */
export function chooseThinking(
  modelId: string,
  { thinking_level: level, thinking_budget: budget }: GoogleOptions,
  { reasoning, maxOutputTokens }: Pick<ModelCallOptions, 'reasoning' | 'maxOutputTokens'>,
): Thinking | undefined {
  if (!THINKING.test(modelId) || NOT_THINKING.test(modelId)) return undefined
  const isEarly = /gemini-2\.5/.test(modelId)
  if (reasoning)
    return isEarly ? chooseBudget(modelId, reasoning, maxOutputTokens) : chooseLevel(modelId, reasoning)
  if (level !== undefined && !isEarly) return { includeThoughts: true, thinkingLevel: level }
  // Thoughts may not be requested together with a budget of 0.
  if (budget === 0) return { thinkingBudget: 0 }
  if (budget === undefined && /gemini-2\.5-flash-lite/.test(modelId)) return undefined
  return { includeThoughts: true, thinkingBudget: budget }
}

type Level = NonNullable<ModelCallOptions['reasoning']>

function chooseBudget(modelId: string, level: Level, limit = Number.POSITIVE_INFINITY): Thinking {
  const least = modelId.includes('-pro') ? MIN_PRO_BUDGET : 0
  // Thoughts count towards the limit of the answer, so they get at most half of it.
  const budget = level === 'off' ? 0 : Math.min(BUDGETS[level], Math.floor(limit / 2))
  if (budget < BUDGETS.low) return { thinkingBudget: least }
  return { includeThoughts: true, thinkingBudget: budget }
}

/** Chooses a level: Pro models always think, and the first of them has no level between low and high. */
function chooseLevel(modelId: string, level: Level): Thinking {
  const isPro = modelId.includes('-pro')
  if (level === 'off') return { thinkingLevel: isPro ? 'low' : 'minimal' }
  const isFirstPro = /gemini-3-pro/.test(modelId)
  return { includeThoughts: true, thinkingLevel: isFirstPro && level === 'medium' ? 'high' : level }
}
