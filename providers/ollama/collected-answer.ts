import type {
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamResult,
} from '@ai-sdk/provider'

/** Reads a whole stream into one answer; throws what the stream throws. */
export async function collectAnswer({
  stream,
}: LanguageModelV3StreamResult): Promise<LanguageModelV3GenerateResult> {
  const content: LanguageModelV3Content[] = []
  let result: Omit<LanguageModelV3GenerateResult, 'content'> | undefined
  let warnings: LanguageModelV3GenerateResult['warnings'] = []
  for await (const part of stream) {
    switch (part.type) {
      case 'stream-start':
        warnings = part.warnings
        break
      case 'text-start':
        content.push({ type: 'text', text: '' })
        break
      case 'reasoning-start':
        content.push({ type: 'reasoning', text: '' })
        break
      case 'text-delta':
      case 'reasoning-delta': {
        // The block that was begun last is the only one that is open.
        const last = content.at(-1)
        if (last?.type === 'text' || last?.type === 'reasoning') last.text += part.delta
        break
      }
      case 'tool-call':
        content.push(part)
        break
      case 'finish':
        result = { finishReason: part.finishReason, usage: part.usage, warnings }
    }
  }
  // A stream without a finish has thrown by now.
  return { content, ...result! }
}
