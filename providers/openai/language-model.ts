import type { LanguageModelV3CallOptions, SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { ProviderConnection, StreamingModel } from '#kernel'
import { createClient } from './client.ts'
import type { OpenAIOptions } from './options.ts'

/** Opens a model whose conversations OpenAI does not keep: its thoughts come sealed and go back with the next step. */
export async function createLanguageModel(
  connection: ProviderConnection,
  modelId: string,
): Promise<StreamingModel> {
  const { api, reasoning_effort, reasoning_summary } = connection.options as OpenAIOptions
  const client = await createClient(connection)
  const isChat = api === 'chat'
  const isReasoning = REASONING.test(modelId)
  return withSettings(isChat ? client.chat(modelId) : client.responses(modelId), {
    name: 'openai',
    isChat,
    settings: {
      store: false,
      ...(isReasoning && { forceReasoning: true, reasoningEffort: reasoning_effort }),
      ...(isReasoning && !isChat && { reasoningSummary: reasoning_summary }),
    },
  })
}

/** Families that reason, fine-tuned ones included: others refuse what has to do with it. */
const REASONING = /^(?:ft:)?(?:o\d|gpt-(?:[5-9]|1\d)(?!-chat))/

/** A model that is called with these settings, under the name of its provider in the library. */
export function withSettings(
  model: StreamingModel,
  { name, isChat, settings }: { name: string; isChat: boolean; settings: Record<string, unknown> },
): StreamingModel {
  return {
    doStream: ({ tools, providerOptions, ...call }) =>
      model.doStream({
        ...call,
        tools: isChat ? tools : tools?.map(withoutStrictness),
        providerOptions: {
          ...providerOptions,
          [name]: { ...providerOptions?.[name], ...(settings as SharedV3ProviderOptions[string]) },
        },
      }),
  }
}

type Tool = NonNullable<LanguageModelV3CallOptions['tools']>[number]

/** The Responses API makes all parameters of a tool required unless it is told not to. */
const withoutStrictness = (tool: Tool): Tool =>
  tool.type === 'function' ? { ...tool, strict: tool.strict ?? false } : tool
