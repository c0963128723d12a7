import type { APICallError, LanguageModelV3FinishReason, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { createAnswerError, type GoogleError } from './failure.ts'

type Part = LanguageModelV3StreamPart

/** What is known of an answer when it ends. */
interface Ending {
  finishReason: LanguageModelV3FinishReason
  providerMetadata?: Extract<Part, { type: 'finish' }>['providerMetadata']
}

/** Passes an answer's parts on; ends with an error where Google reports one, or ends without an answer. */
export function checkParts({ url, keepRaw }: { url: string; keepRaw: boolean }): TransformStream<Part, Part> {
  let isEmpty = true
  return new TransformStream({
    transform(part, controller) {
      const fail = (error: APICallError) => {
        controller.enqueue({ type: 'error', error })
        controller.terminate()
      }
      switch (part.type) {
        case 'raw': {
          const { error } = (part.rawValue ?? {}) as { error?: GoogleError }
          if (error) fail(createAnswerError(error, url))
          else if (keepRaw) controller.enqueue(part)
          return
        }
        case 'finish': {
          const failure = findFailure(part, { isEmpty, url })
          if (failure) fail(failure)
          else controller.enqueue(part)
          return
        }
        case 'text-delta':
        case 'tool-call':
          isEmpty = false
      }
      controller.enqueue(part)
    },
  })
}

/** Whether an answer, of which nothing was said where it `isEmpty`, ended as no answer does, and how. */
export function findFailure(
  { finishReason, providerMetadata }: Ending,
  { isEmpty, url }: { isEmpty: boolean; url: string },
): APICallError | undefined {
  const { unified, raw } = finishReason
  if (raw === undefined)
    return createAnswerError({ status: 'UNFINISHED', message: 'The answer broke off before its end.' }, url)
  const isRefused = unified === 'content-filter' && isEmpty
  if (!isRefused && unified !== 'error' && !(unified === 'other' && isEmpty)) return undefined
  const details = providerMetadata?.google?.finishMessage
  const message = `Google gave ${isEmpty ? 'no' : 'an unusable'} answer: ${raw}${details ? `, ${details}` : ''}.`
  return createAnswerError({ status: isRefused ? 'BLOCKED' : 'UNFINISHED', message }, url)
}
