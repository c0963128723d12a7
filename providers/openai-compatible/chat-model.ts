import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
} from '@ai-sdk/provider'
import { collectResult } from './collected-result.ts'
import { createEventReader } from './event-reader.ts'
import { buildRequest } from './request.ts'
import { createRetry, MAX_RETRIES } from './retry.ts'
import type { Upstream } from './upstream.ts'

/** The name under which a call's provider options are read: `{ max_retries }`, at most two. */
const OPTIONS_KEY = 'openai-compatible'

/**
 * Makes a model that streams from a chat-completions upstream. `doStream` settles with the first delta: until then it
 * tries again on its own, afterwards never, and what breaks the answer then is thrown by the stream.
 */
export function createChatModel({
  upstream,
  modelId,
}: {
  upstream: Upstream
  modelId: string
}): LanguageModelV3 {
  async function doStream(options: LanguageModelV3CallOptions): Promise<LanguageModelV3StreamResult> {
    const { headers, abortSignal: signal, providerOptions } = options
    const { body, warnings } = buildRequest(modelId, options, upstream.dialect)
    const payload = JSON.stringify(body)
    const retry = createRetry({
      limit: Number(providerOptions?.[OPTIONS_KEY]?.max_retries ?? MAX_RETRIES),
      signal,
    })

    const { reader, first } = await retry(async () => {
      const reader = createEventReader(await upstream.streamChat(payload, { headers, signal }), {
        failures: upstream.failures,
        signal,
      })
      const first: LanguageModelV3StreamPart[] = [{ type: 'stream-start', warnings }]
      while (!reader.begun) {
        const parts = await reader.next()
        if (!parts) break
        first.push(...parts)
      }
      return { reader, first }
    })

    const stream = new ReadableStream<LanguageModelV3StreamPart>({
      start(controller) {
        for (const part of first) controller.enqueue(part)
      },
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
