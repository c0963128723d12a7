import type { ProviderConnection, StreamingModel } from '#plugin-api'
import { createClient } from './client.ts'
import { optionsOf } from './options.ts'
import { markCache } from './prompt-cache.ts'
import { samplingOf } from './sampling.ts'
import { createStreamCheck } from './stream-check.ts'
import { bedrockThinking } from './thinking.ts'

/** Opens a model or an inference profile of the Converse API with the options of its provider. */
export async function createChatModel(
  connection: ProviderConnection,
  modelId: string,
): Promise<StreamingModel> {
  const model = (await createClient(connection)).languageModel(modelId)

  return {
    async doStream({ reasoning, ...call }) {
      const { maxOutputTokens } = call
      const { settings, budget } = bedrockThinking(optionsOf(connection), modelId, {
        reasoning,
        maxOutputTokens,
      })
      const { stream, ...rest } = await model.doStream({
        ...call,
        ...samplingOf(call, modelId),
        prompt: markCache(call.prompt, modelId),
        // The library adds the budget to the limit, which holds for both.
        maxOutputTokens: maxOutputTokens && maxOutputTokens - budget,
        providerOptions: {
          ...call.providerOptions,
          bedrock: { ...settings, ...call.providerOptions?.bedrock },
        },
        includeRawChunks: true,
      })
      return { ...rest, stream: stream.pipeThrough(createStreamCheck()) }
    },
  }
}
