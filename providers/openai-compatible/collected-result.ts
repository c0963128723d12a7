import type {
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
} from '@ai-sdk/provider'

/** Reads a stream to its end and gives what it says as one result; throws what the stream throws. */
export async function collectResult({
  stream,
}: LanguageModelV3StreamResult): Promise<LanguageModelV3GenerateResult> {
  const content: LanguageModelV3Content[] = []
  let start: Extract<LanguageModelV3StreamPart, { type: 'stream-start' }> | undefined
  let response: LanguageModelV3GenerateResult['response']
  let finish: Extract<LanguageModelV3StreamPart, { type: 'finish' }> | undefined
  const extend = (type: 'text' | 'reasoning', delta: string) => {
    const last = content.at(-1)
    if (last?.type === type) last.text += delta
    else content.push({ type, text: delta })
  }
  for await (const part of stream) {
    if (part.type === 'text-delta') extend('text', part.delta)
    else if (part.type === 'reasoning-delta') extend('reasoning', part.delta)
    else if (part.type === 'tool-call') content.push(part)
    else if (part.type === 'stream-start') start = part
    else if (part.type === 'response-metadata') response = part
    else if (part.type === 'finish') finish = part
  }
  const { finishReason, usage } = finish!
  return { content, finishReason, usage, response, warnings: start!.warnings }
}
