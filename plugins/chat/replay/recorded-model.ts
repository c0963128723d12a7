import type { LanguageModelV3Content } from '@ai-sdk/provider'
import type { TokenUsage } from '#plugin-api'
import type { ModelPart } from '../../providers/types.ts'

/** Yields the parts in which a model would send a recorded answer. */
export async function* speak(
  content: readonly LanguageModelV3Content[],
  usage: TokenUsage | null,
): AsyncGenerator<ModelPart, void, void> {
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
  const unknown = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }
  yield {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: unknown,
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    },
    tokens: usage,
  }
}
