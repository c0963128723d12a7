import type { APICallError, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { createAnswerError, type GoogleError } from './failure.ts'

type Part = LanguageModelV3StreamPart

/**
 * Makes a filter that needs the raw events of an answer and keeps them to itself: it ends the answer with an error where
 * Google reports one, which the client passes over, or ends as no answer does.
 */
export function createStreamCheck(url: string): TransformStream<Part, Part> {
  let isEmpty = true
  return new TransformStream({
    transform(part, controller) {
      const error = findError(part, isEmpty, url)
      if (error) {
        controller.enqueue({ type: 'error', error })
        controller.terminate()
        return
      }
      if (part.type === 'text-delta' || part.type === 'tool-call') isEmpty = false
      if (part.type !== 'raw') controller.enqueue(part)
    },
  })
}

function findError(part: Part, isEmpty: boolean, url: string): APICallError | undefined {
  if (part.type === 'finish') return findFailure(part, isEmpty, url)
  if (part.type !== 'raw') return undefined
  const { error } = (part.rawValue ?? {}) as { error?: GoogleError }
  return error && createAnswerError(error, url)
}

/** Whether an answer, of which nothing was said where it `isEmpty`, ended as no answer does, and how. */
function findFailure(
  { finishReason: { unified, raw }, providerMetadata }: Extract<Part, { type: 'finish' }>,
  isEmpty: boolean,
  url: string,
): APICallError | undefined {
  if (raw === undefined)
    return createAnswerError({ status: 'UNFINISHED', message: 'The answer broke off before its end.' }, url)
  const isRefused = unified === 'content-filter' && isEmpty
  if (!isRefused && unified !== 'error' && !(unified === 'other' && isEmpty)) return undefined
  const details = providerMetadata?.google?.finishMessage
  const message = `Google gave ${isEmpty ? 'no' : 'an unusable'} answer: ${raw}${details ? `, ${details}` : ''}.`
  return createAnswerError({ status: isRefused ? 'BLOCKED' : 'UNFINISHED', message }, url)
}
