import type { ProviderConnection, StreamingModel } from '#kernel'
import { addressOf } from './address.ts'
import { markCache } from './prompt-cache.ts'
import { type ThinkingOptions, thinkingOf } from './thinking.ts'

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
  const thinking = thinkingOf(options as ThinkingOptions, modelId)

  return {
    doStream: (call) =>
      model.doStream({
        ...call,
        prompt: markCache(call.prompt),
        maxOutputTokens: leaveRoom(call.maxOutputTokens, budgetIn(thinking)),
        providerOptions: {
          ...call.providerOptions,
          // Arguments that stream eagerly may come as broken JSON, and nobody reads them before they are whole.
          anthropic: { ...thinking, toolStreaming: false, ...call.providerOptions?.anthropic },
        },
      }),
  }
}

const budgetIn = ({ thinking }: ReturnType<typeof thinkingOf>) =>
  (thinking && 'budgetTokens' in thinking && thinking.budgetTokens) || 0

/** The library adds the budget to the limit, which may already be the most that the model can put out. */
const leaveRoom = (limit: number | undefined, budget: number) =>
  limit !== undefined && limit > budget ? limit - budget : limit
