import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart } from '@ai-sdk/provider'

/** The reasons of vendors that imitate the Messages API, which the client library does not know. */
const REASONS: Record<string, LanguageModelV3FinishReason['unified']> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
  content_filtered: 'content-filter',
  guardrail_intervened: 'content-filter',
  sensitive: 'content-filter',
  error: 'error',
  network_error: 'error',
}

/** Creates a filter that corrects the end of an answer: its reason, and tokens that were not counted. */
export function createEndFilter(): TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  return new TransformStream({
    transform(part, controller) {
      if (part.type !== 'finish') {
        controller.enqueue(part)
        return
      }
      const { finishReason, usage } = part
      const { inputTokens, outputTokens } = usage
      controller.enqueue({
        ...part,
        finishReason: { ...finishReason, unified: REASONS[finishReason.raw ?? ''] ?? finishReason.unified },
        usage: {
          ...usage,
          inputTokens: { ...inputTokens, total: inputTokens.total || undefined },
          outputTokens: { ...outputTokens, total: outputTokens.total || undefined },
        },
      })
    },
  })
}
