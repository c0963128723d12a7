import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { StreamingModel } from '#plugin-api'
import { createEventReader } from './event-reader.ts'
import { buildRequest } from './request.ts'
import type { Upstream } from './upstream.ts'

/** Creates a model that streams from a chat-completions upstream; the stream throws errors within an answer. */
export function createChatModel({
  upstream,
  modelId,
}: {
  upstream: Upstream
  modelId: string
}): StreamingModel {
  return {
    async doStream(options) {
      const { headers, abortSignal: signal } = options
      const { body, warnings } = buildRequest(modelId, options, upstream.dialect)
      const { body: bytes, failures } = await upstream.streamChat(JSON.stringify(body), { headers, signal })
      const startsInside = options.reasoning !== 'off' && opensThoughtInPrompt(modelId)
      const reader = createEventReader(bytes, { failures, signal, startsInside })
      const stream = new ReadableStream<LanguageModelV3StreamPart>(
        {
          start: (controller) => controller.enqueue({ type: 'stream-start', warnings }),
          async pull(controller) {
            const parts = await reader.next()
            if (!parts) return controller.close()
            for (const part of parts) controller.enqueue(part)
          },
          cancel: () => reader.cancel(),
        },
        { highWaterMark: 0 },
      )
      return { stream }
    },
  }
}

/** True for models that always think, and whose template ends the prompt with the tag that opens their thoughts. */
const opensThoughtInPrompt = (modelId: string) => /deepseek-r1|\bqwq\b|qwen3.*-thinking/i.test(modelId)
