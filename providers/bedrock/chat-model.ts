import type { ModelCallOptions, StreamingModel } from '#plugin-api'
import { createClient } from './client.ts'
import type { BedrockConnection } from './options.ts'
import { markCache } from './prompt-cache.ts'
import { createStreamCheck } from './stream-check.ts'
import { chooseBedrockThinking } from './thinking.ts'

/** Opens a model or an inference profile of the Converse API with the options of its provider. */
export async function createChatModel(
  connection: BedrockConnection,
  modelId: string,
): Promise<StreamingModel> {
  const model = (await createClient(connection)).languageModel(modelId)

  return {
    async doStream({ reasoning, ...call }) {
      const { settings, maxOutputTokens } = chooseBedrockThinking(connection.options, modelId, {
        reasoning,
        maxOutputTokens: call.maxOutputTokens,
      })
      const { stream, ...rest } = await model.doStream({
        ...call,
        ...chooseSampling(call, modelId),
        prompt: markCache(call.prompt, modelId),
        maxOutputTokens,
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

type Sampling = Pick<ModelCallOptions, 'temperature' | 'topP'>

/** Claude from 4.7 on refuses both settings; earlier models accept one of them. */
const LATER_CLAUDE = /claude-(?!v?2|instant|3|(?:haiku|sonnet|opus)-4(?!-[7-9]))/

/** Chooses the sampling settings that a model accepts. */
function chooseSampling({ temperature, topP }: Sampling, modelId: string): Sampling {
  if (LATER_CLAUDE.test(modelId)) return { temperature: undefined, topP: undefined }
  if (modelId.includes('claude-') && temperature !== undefined) return { temperature, topP: undefined }
  return { temperature, topP }
}
