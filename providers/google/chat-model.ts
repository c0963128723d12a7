import type { LanguageModelV3Message, LanguageModelV3Prompt, SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { ProviderConnection, StreamingModel } from '#plugin-api'
import { createClient, rootOf } from './client.ts'
import { createStreamCheck } from './stream-check.ts'
import { thinkingOf } from './thinking.ts'

/** Opens a model that heeds a connection's options and that fails where Google gives an answer without an end. */
export async function createChatModel(
  connection: ProviderConnection,
  modelId: string,
): Promise<StreamingModel> {
  const model = (await createClient(connection)).languageModel(modelId)
  const { options } = connection
  return {
    async doStream({ reasoning, ...call }) {
      const { maxOutputTokens } = call
      const settings: SharedV3ProviderOptions[string] = {
        thinkingConfig: thinkingOf(modelId, options, { reasoning, maxOutputTokens }),
        threshold: options.safety_threshold as string | undefined,
      }
      const { stream, ...rest } = await model.doStream({
        ...call,
        prompt: joinResults(call.prompt),
        providerOptions: {
          ...call.providerOptions,
          google: { ...settings, ...call.providerOptions?.google },
        },
        includeRawChunks: true,
      })
      return { ...rest, stream: stream.pipeThrough(createStreamCheck(rootOf(connection))) }
    },
  }
}

/** Puts the results of one step into one message: Google wants as many answers in it as there were calls. */
function joinResults(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const joined: LanguageModelV3Message[] = []
  for (const message of prompt) {
    const last = joined.at(-1)
    if (message.role === 'tool' && last?.role === 'tool')
      joined[joined.length - 1] = { ...last, content: [...last.content, ...message.content] }
    else joined.push(message)
  }
  return joined
}
