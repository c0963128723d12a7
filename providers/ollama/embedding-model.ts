import type { EmbeddingModelV3 } from '@ai-sdk/provider'
import type { ProviderConnection } from '#kernel'
import { createClient } from './client.ts'
import { readOptions } from './options.ts'

/** Texts in one request; Ollama sets no limit, but works on all of them before it answers. */
const MAX_TEXTS = 256

/** Makes a model that embeds over `/api/embed`. */
export function createEmbeddingModel({
  connection,
  modelId,
}: {
  connection: ProviderConnection
  modelId: string
}): EmbeddingModelV3 {
  const { keepAlive } = readOptions(connection)
  return {
    specificationVersion: 'v3',
    provider: 'ollama',
    modelId,
    maxEmbeddingsPerCall: MAX_TEXTS,
    supportsParallelCalls: false,
    async doEmbed({ values, abortSignal }) {
      const client = await createClient(connection, abortSignal)
      const answer = await client.embed({ model: modelId, input: values, keep_alive: keepAlive })
      return {
        embeddings: answer.embeddings,
        usage: { tokens: answer.prompt_eval_count },
        warnings: [],
      }
    },
  }
}
