import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { ProviderConnection, StreamingModel } from '#plugin-api'
import { chooseSettings } from './adaptations.ts'
import { chooseFormat } from './json-format.ts'
import { createMessagesFetch } from './messages-fetch.ts'
import type { AnthropicConnection } from './options.ts'
import { markCache } from './prompt-cache.ts'
import { chooseThinking, excludeBudget, lacksThoughts, limitOutput } from './thinking.ts'
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
  const [{ createAnthropic }, { getModelCapabilities }] = await Promise.all([
    import('@ai-sdk/anthropic'),
    import('@ai-sdk/anthropic/internal'),
  ])
  const model = createAnthropic({
    baseURL: toRoot(connection),
    // Without any key, the library would read one from the server's environment.
    apiKey: api_key ?? '',
    fetch: createMessagesFetch(fetch, { isClaude: modelId.includes('claude-') }),
  }).languageModel(modelId)
  const { supportsStructuredOutput } = getModelCapabilities(modelId)

  return {
    async doStream({ reasoning, ...call }) {
      const { adaptations = [], providerOptions } = call
      const maxOutputTokens = limitOutput(modelId, call)
      const chosen = chooseThinking(options, modelId, { reasoning, maxOutputTokens, adaptations })
      const isRefused = chosen.thinking?.type === 'enabled' && lacksThoughts(call.prompt, isReturned)
      const thinking = isRefused ? {} : chosen
      const takesSchema = supportsStructuredOutput && !adaptations.includes('json_by_instruction')
      const { prompt, responseFormat } = await chooseFormat(call, { takesSchema })
      const sent = keepCurrentVendorCalls(prompt)
      const { stream, ...answer } = await model.doStream({
        ...chooseSettings(call),
        prompt: adaptations.includes('no_cache_marks') ? sent : markCache(sent),
        responseFormat,
        maxOutputTokens: excludeBudget(maxOutputTokens, thinking),
        providerOptions: {
          ...providerOptions,
          // Eagerly streamed arguments may be broken JSON, and nobody reads them before they are complete.
          anthropic: { ...thinking, toolStreaming: false, ...providerOptions?.anthropic },
        },
      })
      return { ...answer, stream: stream.pipeThrough(createEndFilter()) }
    },
  }
}

/** True for a thought that the client library sends back. */
const isReturned = ({ providerOptions }: { providerOptions?: Record<string, Record<string, unknown>> }) => {
  const { signature, redactedData } = providerOptions?.anthropic ?? {}
  return signature !== undefined || redactedData !== undefined
}

/** The reasons of vendors that imitate the Messages API, which the client library does not know. */
const REASONS: Record<string, LanguageModelV3FinishReason['unified']> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
  content_filtered: 'content-filter',
  guardrail_intervened: 'content-filter',
  sensitive: 'content-filter',
  error: 'error',
  network_error: 'error',
}

/** Creates a filter that corrects the end of an answer: its reason, and tokens that were not counted. */
function createEndFilter(): TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  return new TransformStream({
    transform(part, controller) {
      if (part.type !== 'finish') {
        controller.enqueue(part)
        return
      }
      const { finishReason, usage } = part
      const { inputTokens, outputTokens } = usage
      controller.enqueue({
        ...part,
        finishReason: { ...finishReason, unified: REASONS[finishReason.raw ?? ''] ?? finishReason.unified },
        usage: {
          ...usage,
          inputTokens: { ...inputTokens, total: inputTokens.total || undefined },
          outputTokens: { ...outputTokens, total: outputTokens.total || undefined },
        },
      })
    },
  })
}
