import type { LanguageModelV3CallOptions, SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { ModelCallOptions, StreamingModel } from '#plugin-api'
import { createClient } from './client.ts'
import type { OpenAIConnection } from './options.ts'
import { isReasoning, toEffort } from './reasoning.ts'

/** Opens a model; OpenAI does not store the conversation: thoughts arrive encrypted and return with the next step. */
export async function createLanguageModel(
  connection: OpenAIConnection,
  modelId: string,
): Promise<StreamingModel> {
  const { api, reasoning_effort, reasoning_summary } = connection.options
  const client = await createClient(connection)
  const isChat = api === 'chat'
  const reasons = isReasoning(modelId)
  return withSettings(isChat ? client.chat(modelId) : client.responses(modelId), {
    name: 'openai',
    isChat,
    settings: (level) => ({
      store: false,
      ...(reasons && {
        forceReasoning: true,
        reasoningEffort: level ? toEffort(level, modelId) : reasoning_effort,
      }),
      ...(reasons && !isChat && { reasoningSummary: reasoning_summary }),
    }),
  })
}

/** The smallest output limit that the Responses API accepts. */
const MIN_OUTPUT_TOKENS = 16

/** Wraps a model so that each call has the settings for its level, under the name of its provider in the library. */
export function withSettings(
  model: StreamingModel,
  {
    name,
    isChat,
    settings,
  }: {
    name: string
    isChat: boolean
    settings: (level: ModelCallOptions['reasoning']) => Record<string, unknown>
  },
): StreamingModel {
  return {
    doStream: ({ tools, providerOptions, reasoning, maxOutputTokens: limit, ...call }) =>
      model.doStream({
        ...call,
        maxOutputTokens: isChat ? limit : limit && Math.max(limit, MIN_OUTPUT_TOKENS),
        tools: isChat ? tools : tools?.map(withoutStrictness),
        providerOptions: {
          ...providerOptions,
          [name]: { ...providerOptions?.[name], ...(settings(reasoning) as SharedV3ProviderOptions[string]) },
        },
      }),
  }
}

type Tool = NonNullable<LanguageModelV3CallOptions['tools']>[number]

/** Sets `strict` to false, without which the Responses API makes all parameters of a tool required. */
const withoutStrictness = (tool: Tool): Tool =>
  tool.type === 'function' ? { ...tool, strict: tool.strict ?? false } : tool
