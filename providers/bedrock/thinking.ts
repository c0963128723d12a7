import type { AmazonBedrockLanguageModelOptions } from '@ai-sdk/amazon-bedrock'
import { type BedrockOptions, DEFAULT_BUDGET } from './options.ts'

/** How a model is made to think, in the client library's words. */
export type Thinking = Pick<
  AmazonBedrockLanguageModelOptions,
  'reasoningConfig' | 'additionalModelRequestFields'
>

/** These lists do not grow: what came after them thinks adaptively and refuses a budget. */
const WITHOUT_THOUGHTS = /claude-(?:v2|instant|3-(?:5-)?(?:haiku|sonnet|opus))/
const WITH_BUDGET = /claude-(?:3-7-sonnet|(?:haiku|sonnet|opus)-4(?!-[6-9]))/

/** What the options come to with one model; they are for Claude only. */
export function thinkingOf(options: BedrockOptions, modelId: string): Thinking {
  const { thinking, thinking_budget: budgetTokens = DEFAULT_BUDGET, effort } = options
  if (!modelId.includes('claude-') || WITHOUT_THOUGHTS.test(modelId)) return {}
  if (WITH_BUDGET.test(modelId)) return thinking ? { reasoningConfig: { type: 'enabled', budgetTokens } } : {}
  // Later models keep their thoughts to themselves unless they are asked for a summary.
  const adaptive = thinking ? ({ type: 'adaptive', display: 'summarized' } as const) : undefined
  return {
    ...((adaptive || effort) && {
      reasoningConfig: { ...adaptive, ...(effort && { maxReasoningEffort: effort }) },
    }),
    // The library passes no prohibition on.
    ...(thinking === false && { additionalModelRequestFields: { thinking: { type: 'disabled' } } }),
  }
}
