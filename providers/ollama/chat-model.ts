import {
  APICallError,
  type LanguageModelV3,
  type LanguageModelV3CallOptions,
  type LanguageModelV3StreamPart,
  type LanguageModelV3StreamResult,
} from '@ai-sdk/provider'
import type { ProviderConnection } from '#kernel'
import { createClient, rootOf } from './client.ts'
import { collectAnswer } from './collected-answer.ts'
import { createFailures } from './failure.ts'
import { readOptions } from './options.ts'
import { toParts } from './part-stream.ts'
import { buildRequest } from './request.ts'

/** Makes a model that chats over `/api/chat`; what breaks an answer that has begun is thrown by its stream. */
export function createChatModel({
  connection,
  modelId,
}: {
  connection: ProviderConnection
  modelId: string
}): LanguageModelV3 {
  const settings = readOptions(connection)
  const failures = createFailures(rootOf(connection))

  async function doStream(options: LanguageModelV3CallOptions): Promise<LanguageModelV3StreamResult> {
    const { request, warnings } = buildRequest(modelId, options, settings)
    const leave = new AbortController()
    const signal = AbortSignal.any([leave.signal, ...(options.abortSignal ? [options.abortSignal] : [])])
    signal.throwIfAborted()
    const client = await createClient(connection, signal)
    const parts = toParts(await client.chat({ ...request, stream: true }))

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
      // What is read ahead would be lost when an error follows.
      { highWaterMark: 0 },
    )
    return { stream }
  }

  return {
    specificationVersion: 'v3',
    provider: 'ollama',
    modelId,
    supportedUrls: {},
    doStream,
    doGenerate: async (options) => collectAnswer(await doStream(options)),
  }
}
