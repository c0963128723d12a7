import type { AnthropicLanguageModelOptions } from '@ai-sdk/anthropic'

/** Tokens for thoughts where a provider does not say how many. */
export const DEFAULT_BUDGET = 4096

/** The options of a provider that are about thinking. */
export interface ThinkingOptions {
  thinking?: boolean
  thinking_budget?: number
  effort?: AnthropicLanguageModelOptions['effort']
}

/** How a model is made to think, in the client library's words. */
export type Thinking = Pick<AnthropicLanguageModelOptions, 'thinking' | 'effort'>

/** These lists do not grow: what came after them thinks adaptively and refuses a budget. */
const WITHOUT_THOUGHTS = /claude-(?:v?2|instant|3-(?:5-)?(?:haiku|sonnet|opus))/
const WITH_BUDGET = /claude-(?:3-7-sonnet|(?:haiku|sonnet|opus)-4(?!-[6-9]))/

/** What the options come to with one model; a model of another vendor is taken for one with a budget. */
export function thinkingOf(options: ThinkingOptions, modelId: string): Thinking {
  const { thinking, thinking_budget: budgetTokens = DEFAULT_BUDGET, effort } = options
  if (WITHOUT_THOUGHTS.test(modelId)) return {}
  if (WITH_BUDGET.test(modelId) || !modelId.includes('claude-'))
    return thinking ? { thinking: { type: 'enabled', budgetTokens } } : {}
  return {
    // Later models keep their thoughts to themselves unless they are asked for a summary.
    ...(thinking && { thinking: { type: 'adaptive', display: 'summarized' } }),
    ...(thinking === false && { thinking: { type: 'disabled' } }),
    ...(effort && { effort }),
  }
}
