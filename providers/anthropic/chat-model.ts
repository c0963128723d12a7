import type { AnthropicLanguageModelOptions } from '@ai-sdk/anthropic'
import type { ProviderConnection, StreamingModel } from '#plugin-api'
import { addressOf } from './address.ts'
import { markCache } from './prompt-cache.ts'
import { type Thinking, type ThinkingOptions, thinkingOf } from './thinking.ts'

/** Opens a model of the Messages API with the options of its provider. */
export async function createChatModel(
  connection: ProviderConnection,
  modelId: string,
): Promise<StreamingModel> {
  const { api_key, options, fetch } = connection
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  // The library would look for a key that is not given in the server's environment.
  const model = createAnthropic({
    baseURL: addressOf(connection),
    apiKey: api_key ?? '',
    fetch,
  }).languageModel(modelId)

  return {
    doStream({ reasoning, ...call }) {
      const { maxOutputTokens } = call
      const thinking = thinkingOf(options as ThinkingOptions, modelId, { reasoning, maxOutputTokens })
      return model.doStream({
        ...call,
        prompt: markCache(call.prompt),
        // The library adds the budget to the limit, which holds for both.
        maxOutputTokens: maxOutputTokens && maxOutputTokens - (thinking.budget ?? 0),
        providerOptions: {
          ...call.providerOptions,
          // Arguments that stream eagerly may come as broken JSON, and nobody reads them before they are whole.
          anthropic: { ...settingsFor(thinking), toolStreaming: false, ...call.providerOptions?.anthropic },
        },
      })
    },
  }
}

/** The same in the client library's words; later models keep their thoughts to themselves unless asked for a summary. */
function settingsFor({
  mode,
  budget,
  effort,
}: Thinking): Pick<AnthropicLanguageModelOptions, 'thinking' | 'effort'> {
  return {
    ...(mode === 'enabled' && { thinking: { type: mode, budgetTokens: budget } }),
    ...(mode === 'adaptive' && { thinking: { type: mode, display: 'summarized' } }),
    ...(mode === 'disabled' && { thinking: { type: mode } }),
    ...(effort && { effort }),
  }
}
