import type { AmazonBedrockLanguageModelOptions } from '@ai-sdk/amazon-bedrock'
import type { ModelCallOptions } from '#plugin-api'
import {
  capOutput,
  chooseThinking,
  DEFAULT_OUTPUT_TOKENS,
  excludeBudget,
  lacksThoughts,
} from '../anthropic/thinking.ts'

import type { BedrockOptions } from './connection.ts'

/** The thinking of a model in the words of the client library, and the limit of the answer without its budget. */
interface Thinking {
  settings: Pick<AmazonBedrockLanguageModelOptions, 'reasoningConfig' | 'additionalModelRequestFields'>
  maxOutputTokens: number | undefined
}

/** OpenAI's models with open weights, which always think. */
const GPT_OSS = /openai\.gpt-oss/

/** The limits of the answers of models that think with a budget. */
const LOW_LIMIT = /claude-opus-4/
const [LOW_LIMIT_TOKENS, HIGH_LIMIT_TOKENS] = [32_000, 64_000]

/** A model that refuses to answer without thoughts; at Anthropic, the library sends it the least thinking instead. */
const REFUSES_DISABLED = /claude-sonnet-5-5/
/** Models that refuse a high effort without thoughts. */
const REFUSES_HIGH_EFFORT = /claude-(?:opus|sonnet)-5/

/** Chooses the thinking from the options of a provider, which are for Claude only, and of a call. */
export function chooseBedrockThinking(
  options: BedrockOptions,
  modelId: string,
  call: Pick<ModelCallOptions, 'reasoning' | 'maxOutputTokens' | 'adaptations' | 'prompt'>,
): Thinking {
  const { reasoning, adaptations = [] } = call
  const maxOutputTokens = capOutput(call.maxOutputTokens, adaptations)
  if (GPT_OSS.test(modelId) && reasoning && !adaptations.includes('no_thinking'))
    return {
      settings: { reasoningConfig: { maxReasoningEffort: reasoning === 'off' ? 'low' : reasoning } },
      maxOutputTokens,
    }
  if (!modelId.includes('claude-')) return { settings: {}, maxOutputTokens }
  const largest = LOW_LIMIT.test(modelId) ? LOW_LIMIT_TOKENS : HIGH_LIMIT_TOKENS
  const chosen = chooseThinking(options, modelId, {
    reasoning,
    adaptations,
    maxOutputTokens: maxOutputTokens ?? largest,
  })
  if (chosen.thinking?.type !== 'enabled') return { settings: toSettings(chosen, modelId), maxOutputTokens }
  if (lacksThoughts(call.prompt, isReturned)) return { settings: {}, maxOutputTokens }
  // The library would leave only 4,096 tokens beside the budget.
  const limit = maxOutputTokens ?? Math.min(largest, DEFAULT_OUTPUT_TOKENS + chosen.thinking.budgetTokens)
  return { settings: toSettings(chosen, modelId), maxOutputTokens: excludeBudget(limit, chosen) }
}

function toSettings(
  { thinking, effort }: ReturnType<typeof chooseThinking>,
  modelId: string,
): Thinking['settings'] {
  const isDisabled = thinking?.type === 'disabled'
  const enabled = isDisabled ? undefined : thinking
  const isTooHigh =
    isDisabled && REFUSES_HIGH_EFFORT.test(modelId) && (effort === 'xhigh' || effort === 'max')
  const maxReasoningEffort = isTooHigh ? 'high' : effort
  return {
    ...((enabled || maxReasoningEffort) && {
      reasoningConfig: { ...enabled, ...(maxReasoningEffort && { maxReasoningEffort }) },
    }),
    // The library does not pass on that thinking is disabled.
    ...(isDisabled && !REFUSES_DISABLED.test(modelId) && { additionalModelRequestFields: { thinking } }),
  }
}

/** True for a thought that the client library sends back. */
function isReturned({
  providerOptions,
}: {
  providerOptions?: Record<string, Record<string, unknown>>
}): boolean {
  const { signature, redactedData, redactedContent } = providerOptions?.bedrock ?? {}
  return (signature ?? redactedData ?? redactedContent) !== undefined
}
