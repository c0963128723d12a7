import { APICallError, type LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { EmbeddingModel, StreamingModel } from '#plugin-api'
import { createClient, type OllamaConnection, readOptions, toRoot } from './connection.ts'
import { createFailures } from './failure.ts'
import { toParts } from './part-stream.ts'
import { buildRequest } from './request.ts'

/** Creates a model that chats over `/api/chat`; the stream throws errors that occur within an answer. */
export function createChatModel({
  connection,
  modelId,
}: {
  connection: OllamaConnection
  modelId: string
}): StreamingModel {
  const settings = readOptions(connection)
  const failures = createFailures(toRoot(connection))

  return {
    async doStream(options) {
      const { request, warnings } = buildRequest(modelId, options, settings)
      const leave = new AbortController()
      const signal = AbortSignal.any([leave.signal, ...(options.abortSignal ? [options.abortSignal] : [])])
      signal.throwIfAborted()
      const client = await createClient(connection, signal)
      const parts = toParts(await client.chat({ ...request, stream: true }), failures)

      const stream = new ReadableStream<LanguageModelV3StreamPart>(
        {
          start: (controller) => controller.enqueue({ type: 'stream-start', warnings }),
          async pull(controller) {
            try {
              const { done, value } = await parts.next()
              if (done) controller.close()
              else controller.enqueue(value)
            } catch (cause) {
              throw signal.aborted || APICallError.isInstance(cause) ? cause : failures.interrupted(cause)
            }
          },
          cancel: () => leave.abort(),
        },
        // Parts that were read ahead would be lost if an error follows.
        { highWaterMark: 0 },
      )
      return { stream }
    },
  }
}

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
