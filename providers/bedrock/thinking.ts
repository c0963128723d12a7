import type { AmazonBedrockLanguageModelOptions } from '@ai-sdk/amazon-bedrock'
import type { ModelCallOptions } from '#plugin-api'
import { chooseThinking, excludeBudget } from '../anthropic/thinking.ts'
import type { BedrockOptions } from './options.ts'

/** The thinking of a model in the words of the client library, and the limit of the answer without its budget. */
interface Thinking {
  settings: Pick<AmazonBedrockLanguageModelOptions, 'reasoningConfig' | 'additionalModelRequestFields'>
  maxOutputTokens: number | undefined
}

/** OpenAI's models with open weights, which always think. */
const GPT_OSS = /openai\.gpt-oss/

/** Chooses the thinking from the options of a provider, which are for Claude only, and of a call. */
export function chooseBedrockThinking(
  options: BedrockOptions,
  modelId: string,
  call: Pick<ModelCallOptions, 'reasoning' | 'maxOutputTokens'>,
): Thinking {
  const { reasoning, maxOutputTokens } = call
  if (GPT_OSS.test(modelId) && reasoning)
    return {
      settings: { reasoningConfig: { maxReasoningEffort: reasoning === 'off' ? 'low' : reasoning } },
      maxOutputTokens,
    }
  if (!modelId.includes('claude-')) return { settings: {}, maxOutputTokens }
  const chosen = chooseThinking(options, modelId, call)
  const { thinking, effort } = chosen
  const isDisabled = thinking?.type === 'disabled'
  const enabled = isDisabled ? undefined : thinking
  const settings = {
    ...((enabled || effort) && {
      reasoningConfig: { ...enabled, ...(effort && { maxReasoningEffort: effort }) },
    }),
    // The library does not pass on that thinking is disabled.
    ...(isDisabled && { additionalModelRequestFields: { thinking } }),
  }
  return { settings, maxOutputTokens: excludeBudget(maxOutputTokens, chosen) }
}
