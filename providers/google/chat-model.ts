import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider'
import type { ProviderConnection } from '#kernel'
import { checkParts, findFailure } from './answer-check.ts'
import { rootOf } from './client.ts'
import { thinkingOf } from './thinking.ts'

/** Makes a model that heeds a connection's options and that fails where Google gives an answer without an end. */
export function createChatModel({
  model,
  connection,
}: {
  model: LanguageModelV3
  connection: ProviderConnection
}): LanguageModelV3 {
  const { provider, modelId } = model
  const url = rootOf(connection)
  const settings: SharedV3ProviderOptions[string] = {
    thinkingConfig: thinkingOf(modelId, connection.options),
    threshold: connection.options.safety_threshold as string | undefined,
  }
  const complete = (options: LanguageModelV3CallOptions): LanguageModelV3CallOptions => ({
    ...options,
    prompt: joinResults(options.prompt),
    providerOptions: {
      ...options.providerOptions,
      google: { ...settings, ...options.providerOptions?.google },
    },
  })

  return {
    specificationVersion: 'v3',
    provider,
    modelId,
    supportedUrls: model.supportedUrls,
    async doStream(options) {
      // The client shows what it passes over, errors among it, only in what it hands on as it came.
      const result = await model.doStream({ ...complete(options), includeRawChunks: true })
      const keepRaw = options.includeRawChunks === true
      return { ...result, stream: result.stream.pipeThrough(checkParts({ url, keepRaw })) }
    },
    async doGenerate(options) {
      const result = await model.doGenerate(complete(options))
      const isEmpty = !result.content.some(({ type }) => type === 'text' || type === 'tool-call')
      const failure = findFailure(result, { isEmpty, url })
      if (failure) throw failure
      return result
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
