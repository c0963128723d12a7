import type { EmbeddingModel } from '#plugin-api'
import { createClient } from './client.ts'
import { type OllamaConnection, readOptions } from './options.ts'

/** Creates a model that embeds over `/api/embed`. */
export function createEmbeddingModel({
  connection,
  modelId,
}: {
  connection: OllamaConnection
  modelId: string
}): EmbeddingModel {
  const { keepAlive } = readOptions(connection)
  return {
    async doEmbed({ values, abortSignal }) {
      const client = await createClient(connection, abortSignal)
      const answer = await client.embed({ model: modelId, input: values, keep_alive: keepAlive })
      return { embeddings: answer.embeddings, usage: { tokens: answer.prompt_eval_count }, warnings: [] }
    },
  }
}
