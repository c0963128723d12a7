import type { LanguageModelV3Message, LanguageModelV3Prompt, SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { StreamingModel } from '#plugin-api'
import { createClient, toRoot } from './client.ts'
import type { GoogleConnection } from './options.ts'
import { createStreamCheck } from './stream-check.ts'
import { chooseThinking } from './thinking.ts'

/** Opens a model with the options of its provider; an answer that ends too early is an error. */
export async function createChatModel(
  connection: GoogleConnection,
  modelId: string,
): Promise<StreamingModel> {
  const model = (await createClient(connection)).languageModel(modelId)
  const { options } = connection
  return {
    async doStream({ reasoning, ...call }) {
      const { maxOutputTokens } = call
      const settings: SharedV3ProviderOptions[string] = {
        thinkingConfig: chooseThinking(modelId, options, { reasoning, maxOutputTokens }),
        threshold: options.safety_threshold,
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
      return { ...rest, stream: stream.pipeThrough(createStreamCheck(toRoot(connection))) }
    },
  }
}

/** Joins the results of one step in one message: Google requires as many results in it as there were calls. */
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
