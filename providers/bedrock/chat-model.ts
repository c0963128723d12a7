import type { ProviderConnection, StreamingModel } from '#kernel'
import { createClient } from './client.ts'
import { optionsOf } from './options.ts'
import { markCache } from './prompt-cache.ts'
import { createStreamCheck } from './stream-check.ts'
import { thinkingOf } from './thinking.ts'

/** Opens a model or an inference profile of the Converse API with the options of its provider. */
export async function createChatModel(
  connection: ProviderConnection,
  modelId: string,
): Promise<StreamingModel> {
  const model = (await createClient(connection)).languageModel(modelId)
  const thinking = thinkingOf(optionsOf(connection), modelId)
  const budget = thinking.reasoningConfig?.budgetTokens ?? 0

  return {
    async doStream(call) {
      const { stream, ...rest } = await model.doStream({
        ...call,
        prompt: markCache(call.prompt, modelId),
        maxOutputTokens: leaveRoom(call.maxOutputTokens, budget),
        providerOptions: {
          ...call.providerOptions,
          bedrock: { ...thinking, ...call.providerOptions?.bedrock },
        },
        includeRawChunks: true,
      })
      return { ...rest, stream: stream.pipeThrough(createStreamCheck()) }
    },
  }
}

/** The library adds the budget to the limit, which may already be the most that the model can put out. */
const leaveRoom = (limit: number | undefined, budget: number) =>
  limit !== undefined && limit > budget ? limit - budget : limit
