import type { LanguageModelV3Content, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { TokenUsage } from '#plugin-api'

/** Yields the parts in which a model would send a recorded answer. */
export async function* speak(
  content: readonly LanguageModelV3Content[],
  usage: TokenUsage | null,
): AsyncGenerator<LanguageModelV3StreamPart, void, void> {
  for (const [index, part] of content.entries()) {
    const id = String(index)
    if (part.type === 'tool-call') yield part
    if (part.type !== 'text' && part.type !== 'reasoning') continue
    const { type, text, providerMetadata } = part
    yield { type: `${type}-start`, id, ...(providerMetadata && { providerMetadata }) }
    if (text) yield { type: `${type}-delta`, id, delta: text }
    yield { type: `${type}-end`, id }
  }
  if (!usage) return
  const { input_tokens, output_tokens, cached_input_tokens: cacheRead, reasoning_tokens: reasoning } = usage
  const rest = { noCache: undefined, cacheWrite: undefined, text: undefined }
  yield {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: input_tokens, cacheRead, noCache: rest.noCache, cacheWrite: rest.cacheWrite },
      outputTokens: { total: output_tokens, reasoning, text: rest.text },
    },
  }
}
