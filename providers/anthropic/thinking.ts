import type { AnthropicLanguageModelOptions } from '@ai-sdk/anthropic'
import type { ModelCallOptions } from '#plugin-api'

/** Tokens for thoughts where a provider does not say how many. */
export const DEFAULT_BUDGET = 4096

/** Tokens for thoughts at the levels of a call. */
const BUDGETS = { low: 2048, medium: 8192, high: 24_576 } as const

/** The smallest budget that the API takes. */
const LEAST_BUDGET = 1024

/** The options of a provider that are about thinking. */
export interface ThinkingOptions {
  thinking?: boolean
  thinking_budget?: number
  effort?: Effort
}

type Effort = AnthropicLanguageModelOptions['effort']

/** How a model is made to think: by a budget of tokens, as it decides, or not at all; else as is usual for it. */
export interface Thinking {
  mode?: 'enabled' | 'adaptive' | 'disabled'
  budget?: number
  effort?: Effort
}

/** These lists do not grow: what came after them thinks adaptively and refuses a budget. */
const WITHOUT_THOUGHTS = /claude-(?:v?2|instant|3-(?:5-)?(?:haiku|sonnet|opus))/
const WITH_BUDGET = /claude-(?:3-7-sonnet|(?:haiku|sonnet|opus)-4(?!-[6-9]))/

/** What the options of a provider and of a call come to with one model; a model of another vendor gets a budget. */
export function thinkingOf(
  options: ThinkingOptions,
  modelId: string,
  { reasoning, maxOutputTokens }: Pick<ModelCallOptions, 'reasoning' | 'maxOutputTokens'>,
): Thinking {
  if (WITHOUT_THOUGHTS.test(modelId)) return {}
  const thinking = reasoning ? reasoning !== 'off' : options.thinking
  const level = reasoning === 'off' ? undefined : reasoning
  const isForeign = !modelId.includes('claude-')
  if (!isForeign && !WITH_BUDGET.test(modelId)) {
    const effort = level ?? options.effort
    const mode = thinking === undefined ? undefined : thinking ? 'adaptive' : 'disabled'
    return { ...(mode && { mode }), ...(effort && { effort }) }
  }
  if (!thinking) return isForeign && reasoning === 'off' ? { mode: 'disabled' } : {}
  const wanted = level ? BUDGETS[level] : (options.thinking_budget ?? DEFAULT_BUDGET)
  // Thoughts count towards the limit of the answer, so they get half of it at most.
  const budget = Math.min(wanted, Math.floor((maxOutputTokens ?? Number.POSITIVE_INFINITY) / 2))
  return budget < LEAST_BUDGET ? {} : { mode: 'enabled', budget }
}
