import type { LanguageModelV3GenerateResult, LanguageModelV3StreamPart } from '@ai-sdk/provider'

/** Returns an answer that was not streamed as the parts of a stream. */
export function* toStreamParts({
  content,
  finishReason,
  usage,
  warnings,
}: LanguageModelV3GenerateResult): Generator<LanguageModelV3StreamPart> {
  yield { type: 'stream-start', warnings }
  for (const [index, part] of content.entries()) {
    const id = String(index)
    if (part.type === 'text' || part.type === 'reasoning') {
      const { type, text, providerMetadata } = part
      yield { type: `${type}-start`, id, providerMetadata }
      yield { type: `${type}-delta`, id, delta: text }
      yield { type: `${type}-end`, id }
    } else if (part.type === 'tool-call') yield part
  }
  yield { type: 'finish', finishReason, usage }
}
