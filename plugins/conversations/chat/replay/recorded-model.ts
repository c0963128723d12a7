import type { LanguageModelV3FinishReason } from '@ai-sdk/provider'
import type { ModelPart } from '../../../models/providers/types.ts'
import type { AnswerEnding } from '../loop/model-answer.ts'
import type { RecordedAnswer } from './recording.ts'

const FINISH_REASONS: Record<AnswerEnding, LanguageModelV3FinishReason> = {
  complete: { unified: 'stop', raw: 'stop' },
  length: { unified: 'length', raw: 'length' },
  filtered: { unified: 'content-filter', raw: 'content_filter' },
  refused: { unified: 'content-filter', raw: 'refusal' },
  to_be_continued: { unified: 'other', raw: 'pause_turn' },
}

/** Yields the parts in which a model would send a recorded answer. */
export async function* speak({
  content,
  ending,
  usage,
}: RecordedAnswer): AsyncGenerator<ModelPart, void, void> {
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
    finishReason: FINISH_REASONS[ending],
    usage: {
      inputTokens: unknown,
      outputTokens: { total: undefined, text: undefined, reasoning: undefined },
    },
    tokens: usage,
  }
}
