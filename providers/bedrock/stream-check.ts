import type { LanguageModelV3StreamPart } from '@ai-sdk/provider'

/**
 * Creates a filter that reads and removes the raw events of an answer: with them it names exceptions, whose names the
 * client library omits, and reports exceptions that the library ignores and an answer that ends too early.
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
      const error = createException(name, message || originalMessage || 'The answer was interrupted.')
      controller.enqueue({ type: 'error', error })
    },
  })
}

/** Creates an error with the name that AWS uses. */
const createException = (name: string, message: string) =>
  Object.assign(new Error(message), { name: name[0]!.toUpperCase() + name.slice(1) })
