import type { AmazonBedrockLanguageModelOptions } from '@ai-sdk/amazon-bedrock'
import type { ModelCallOptions } from '#plugin-api'
import { thinkingOf } from '../anthropic/thinking.ts'
import type { BedrockOptions } from './options.ts'

/** How a model is made to think, in the client library's words; `budget` is what it may think, in tokens. */
interface Thinking {
  settings: Pick<AmazonBedrockLanguageModelOptions, 'reasoningConfig' | 'additionalModelRequestFields'>
  budget: number
}

/** Models of OpenAI's with open weights, which always think. */
const GPT_OSS = /openai\.gpt-oss/

/** What the options of a provider and of a call come to with one model; those of a provider are for Claude only. */
export function bedrockThinking(
  options: BedrockOptions,
  modelId: string,
  call: Pick<ModelCallOptions, 'reasoning' | 'maxOutputTokens'>,
): Thinking {
  const { reasoning } = call
  if (GPT_OSS.test(modelId) && reasoning)
    return {
      settings: { reasoningConfig: { maxReasoningEffort: reasoning === 'off' ? 'low' : reasoning } },
      budget: 0,
    }
  if (!modelId.includes('claude-')) return { settings: {}, budget: 0 }
  const { mode, budget, effort } = thinkingOf(options, modelId, call)
  // Later models keep their thoughts to themselves unless they are asked for a summary.
  const adaptive = mode === 'adaptive' ? ({ type: mode, display: 'summarized' } as const) : undefined
  const enabled = mode === 'enabled' ? ({ type: mode, budgetTokens: budget } as const) : undefined
  return {
    settings: {
      ...((adaptive || enabled || effort) && {
        reasoningConfig: { ...adaptive, ...enabled, ...(effort && { maxReasoningEffort: effort }) },
      }),
      // The library passes no prohibition on.
      ...(mode === 'disabled' && { additionalModelRequestFields: { thinking: { type: mode } } }),
    },
    budget: budget ?? 0,
  }
}
