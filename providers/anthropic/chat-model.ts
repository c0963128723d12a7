import type { ProviderConnection, StreamingModel } from '#plugin-api'
import { createEndFilter } from './answer-parts.ts'
import { createMessagesFetch } from './messages-fetch.ts'
import type { AnthropicConnection } from './options.ts'
import { markCache } from './prompt-cache.ts'
import { chooseThinking, excludeBudget } from './thinking.ts'
import { keepCurrentVendorCalls } from './vendor-calls.ts'

/** Returns the address of the API; Anthropic's own tools are configured with that of the host alone. */
export function toRoot({ base_url }: Pick<ProviderConnection, 'base_url'>): string {
  const address = base_url!.replace(/\/+$/, '')
  return new URL(address).pathname === '/' ? `${address}/v1` : address
}

/** Opens a model of the Messages API with the options of its provider. */
export async function createChatModel(
  connection: AnthropicConnection,
  modelId: string,
): Promise<StreamingModel> {
  const { api_key, options, fetch } = connection
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  const model = createAnthropic({
    baseURL: toRoot(connection),
    // Without any key, the library would read one from the server's environment.
    apiKey: api_key ?? '',
    fetch: createMessagesFetch(fetch, { isClaude: modelId.includes('claude-') }),
  }).languageModel(modelId)

  return {
    async doStream({ reasoning, ...call }) {
      const { maxOutputTokens } = call
      const thinking = chooseThinking(options, modelId, { reasoning, maxOutputTokens })
      const { stream, ...answer } = await model.doStream({
        ...call,
        prompt: markCache(keepCurrentVendorCalls(call.prompt)),
        maxOutputTokens: excludeBudget(maxOutputTokens, thinking),
        providerOptions: {
          ...call.providerOptions,
          // Eagerly streamed arguments may be broken JSON, and nobody reads them before they are complete.
          anthropic: { ...thinking, toolStreaming: false, ...call.providerOptions?.anthropic },
        },
      })
      return { ...answer, stream: stream.pipeThrough(createEndFilter()) }
    },
  }
}
