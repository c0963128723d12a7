import type { OpenAIProvider } from '@ai-sdk/openai'
import type { JSONObject, LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'
import type { OpenAIOptions } from './options.ts'

/** A model whose conversations OpenAI does not keep: its thoughts come sealed and go back with the next step. */
export function createLanguageModel({
  client,
  modelId,
  options: { api = 'responses', reasoning_effort, reasoning_summary },
}: {
  client: OpenAIProvider
  modelId: string
  options: OpenAIOptions
}): LanguageModelV3 {
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
  model: LanguageModelV3,
  { name, isChat, settings }: { name: string; isChat: boolean; settings: Record<string, unknown> },
): LanguageModelV3 {
  const complete = ({ tools, providerOptions, ...call }: LanguageModelV3CallOptions) => ({
    ...call,
    tools: isChat ? tools : tools?.map(withoutStrictness),
    providerOptions: {
      ...providerOptions,
      [name]: { ...providerOptions?.[name], ...(settings as JSONObject) },
    },
  })
  const { specificationVersion, provider, modelId, supportedUrls } = model
  return {
    specificationVersion,
    provider,
    modelId,
    supportedUrls,
    doGenerate: (call) => model.doGenerate(complete(call)),
    doStream: (call) => model.doStream(complete(call)),
  }
}

type Tool = NonNullable<LanguageModelV3CallOptions['tools']>[number]

/** The Responses API makes all parameters of a tool required unless it is told not to. */
const withoutStrictness = (tool: Tool): Tool =>
  tool.type === 'function' ? { ...tool, strict: tool.strict ?? false } : tool
