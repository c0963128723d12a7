import type { LanguageModelV3CallOptions, SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { ModelCallOptions, ProviderConnection, StreamingModel } from '#plugin-api'
import { createClient } from './client.ts'
import type { OpenAIOptions } from './options.ts'
import { effortAt, isReasoning } from './reasoning.ts'

/** Opens a model whose conversations OpenAI does not keep: its thoughts come sealed and go back with the next step. */
export async function createLanguageModel(
  connection: ProviderConnection,
  modelId: string,
): Promise<StreamingModel> {
  const { api, reasoning_effort, reasoning_summary } = connection.options as OpenAIOptions
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
        reasoningEffort: level ? effortAt(level, modelId) : reasoning_effort,
      }),
      ...(reasons && !isChat && { reasoningSummary: reasoning_summary }),
    }),
  })
}

/** The shortest limit that the Responses API takes. */
const LEAST_LIMIT = 16

/** A model that is called with the settings for each level, under the name of its provider in the library. */
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
        maxOutputTokens: isChat ? limit : limit && Math.max(limit, LEAST_LIMIT),
        tools: isChat ? tools : tools?.map(withoutStrictness),
        providerOptions: {
          ...providerOptions,
          [name]: { ...providerOptions?.[name], ...(settings(reasoning) as SharedV3ProviderOptions[string]) },
        },
      }),
  }
}

type Tool = NonNullable<LanguageModelV3CallOptions['tools']>[number]

/** The Responses API makes all parameters of a tool required unless it is told not to. */
const withoutStrictness = (tool: Tool): Tool =>
  tool.type === 'function' ? { ...tool, strict: tool.strict ?? false } : tool
