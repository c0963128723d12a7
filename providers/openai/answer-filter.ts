import { APICallError, type LanguageModelV3StreamPart } from '@ai-sdk/provider'

type Part = LanguageModelV3StreamPart

/** The id of the block of thoughts of Chat Completions, which the client library does not read. */
const THOUGHTS = 'thoughts'

/**
 * Creates the filter of an answer of OpenAI's models: it adds the thoughts of Chat Completions, names refusals as such,
 * returns pictures as files, and ends an answer with an error if the vendor says that it failed.
 */
export function createAnswerFilter(): TransformStream<Part, Part> {
  let isThinking = false

  const endThoughts = (controller: TransformStreamDefaultController<Part>) => {
    if (isThinking) controller.enqueue({ type: 'reasoning-end', id: THOUGHTS })
    isThinking = false
  }

  return new TransformStream({
    transform(part, controller) {
      if (part.type === 'raw') {
        const delta = readThoughts(part.rawValue)
        if (!delta) return
        if (!isThinking) controller.enqueue({ type: 'reasoning-start', id: THOUGHTS })
        isThinking = true
        controller.enqueue({ type: 'reasoning-delta', id: THOUGHTS, delta })
        return
      }
      if (part.type !== 'stream-start' && part.type !== 'response-metadata') endThoughts(controller)
      const picture = readPicture(part)
      if (picture) controller.enqueue(picture)
      controller.enqueue(part.type === 'finish' ? mendFinish(part) : part)
    },
  })
}

function readThoughts(event: unknown): string | undefined {
  const { choices } = (event ?? {}) as { choices?: { delta?: { reasoning_content?: string } }[] }
  return choices?.[0]?.delta?.reasoning_content
}

/** Returns the picture that a call of the vendor itself has drawn. */
function readPicture(part: Part): Part | undefined {
  if (part.type !== 'tool-result' || part.toolName !== 'image_generation') return undefined
  const { result: data } = part.result as { result?: unknown }
  return typeof data === 'string' && data !== '' ? { type: 'file', mediaType: 'image/png', data } : undefined
}

function mendFinish(part: Extract<Part, { type: 'finish' }>): Part {
  const { raw } = part.finishReason
  if (raw === 'refusal') return { ...part, finishReason: { unified: 'content-filter', raw } }
  if (raw !== 'error') return part
  const error = new APICallError({
    message: 'The upstream ended the answer with an error.',
    url: '',
    requestBodyValues: undefined,
  })
  return { type: 'error', error }
}
