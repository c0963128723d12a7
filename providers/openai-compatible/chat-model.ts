import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
} from '@ai-sdk/provider'
import { collectResult } from './collected-result.ts'
import { createEventReader } from './event-reader.ts'
import { buildRequest } from './request.ts'
import type { Upstream } from './upstream.ts'

/** Makes a model that streams from a chat-completions upstream; what breaks an answer is thrown by its stream. */
export function createChatModel({
  upstream,
  modelId,
}: {
  upstream: Upstream
  modelId: string
}): LanguageModelV3 {
  async function doStream(options: LanguageModelV3CallOptions): Promise<LanguageModelV3StreamResult> {
    const { headers, abortSignal: signal } = options
    const { body, warnings } = buildRequest(modelId, options, upstream.dialect)
    const bytes = await upstream.streamChat(JSON.stringify(body), { headers, signal })
    const reader = createEventReader(bytes, { failures: upstream.failures, signal })
    const stream = new ReadableStream<LanguageModelV3StreamPart>({
      start: (controller) => controller.enqueue({ type: 'stream-start', warnings }),
      async pull(controller) {
        const parts = await reader.next()
        if (!parts) return controller.close()
        for (const part of parts) controller.enqueue(part)
      },
      cancel: () => reader.cancel(),
    })
    return { stream }
  }

  return {
    specificationVersion: 'v3',
    provider: 'openai-compatible',
    modelId,
    // Images go upstream by their address, which saves fetching them here.
    supportedUrls: { 'image/*': [/^https?:\/\//] },
    doStream,
    doGenerate: async (options) => collectResult(await doStream(options)),
  }
}
