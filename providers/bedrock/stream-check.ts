import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'

/**
 * Makes a filter that needs the raw events of an answer and keeps them to itself: with them it gives exceptions their
 * names, which the client library leaves out, and tells those that the library passes over and an end that is none.
 */
export function createStreamCheck(): TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart> {
  let state: 'open' | 'stopped' | 'failed' = 'open'
  return new TransformStream({
    transform(part, controller) {
      if (state === 'failed') return
      if (part.type !== 'raw') {
        if (part.type !== 'finish' || state === 'stopped') return controller.enqueue(part)
        const error = createException('ModelStreamErrorException', 'The answer ended before it was finished.')
        return controller.enqueue({ type: 'error', error })
      }
      const [name = '', event] = Object.entries(part.rawValue ?? {})[0] ?? []
      if (name === 'messageStop') state = 'stopped'
      if (!name.endsWith('Exception')) return
      state = 'failed'
      const { message, originalMessage } = event as { message?: string; originalMessage?: string }
      const error = createException(name, message || originalMessage || 'The answer was broken off.')
      controller.enqueue({ type: 'error', error })
    },
  })
}

/** An error named as AWS names it. */
const createException = (name: string, message: string) =>
  Object.assign(new Error(message), { name: name[0]!.toUpperCase() + name.slice(1) })
