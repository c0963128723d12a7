import type { APICallError, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { createAnswerError, type GoogleError } from './failure.ts'

type Part = LanguageModelV3StreamPart

/**
 * Creates a filter that reads and removes the raw events of an answer: it ends the answer with an error if Google
 * reports one, which the client ignores, or if the answer ends too early.
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
      if (part.type === 'text-delta' || part.type === 'tool-call' || part.type === 'file') isEmpty = false
      if (part.type !== 'raw') controller.enqueue(part.type === 'finish' ? withFilter(part) : part)
    },
  })
}

function findError(part: Part, isEmpty: boolean, url: string): APICallError | undefined {
  if (part.type === 'finish') return findFailure(part, isEmpty, url)
  if (part.type !== 'raw') return undefined
  const { error } = (part.rawValue ?? {}) as { error?: GoogleError }
  return error && createAnswerError(error, url)
}

/** Finds the failure of an answer that did not end properly; `isEmpty` if it has neither text nor tool calls. */
function findFailure(
  { finishReason: { unified, raw }, providerMetadata }: Extract<Part, { type: 'finish' }>,
  isEmpty: boolean,
  url: string,
): APICallError | undefined {
  if (raw === undefined)
    return createAnswerError(
      { status: 'UNFINISHED', message: 'The answer ended before it was finished.' },
      url,
    )
  const isRefused = isFiltered(unified, raw) && isEmpty
  const isBroken = unified === 'error' || BROKEN.test(raw)
  if (!isRefused && !isBroken && !(unified === 'other' && isEmpty)) return undefined
  const details = providerMetadata?.google?.finishMessage
  const message = `Google returned ${isEmpty ? 'no' : 'an unusable'} answer: ${raw}${details ? `, ${details}` : ''}.`
  return createAnswerError({ status: isRefused ? 'BLOCKED' : 'UNFINISHED', message }, url)
}

/** Ends of answers that are unusable, whatever came before; the client library knows one of them. */
const BROKEN = /^(?:MALFORMED_|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS|MISSING_THOUGHT_SIGNATURE)/

/** True for an answer that was ended by a filter; the client library does not know all of them. */
const isFiltered = (unified: string, raw: string): boolean =>
  unified === 'content-filter' || /PROHIBITED|RECITATION|SAFETY|MODEL_ARMOR/.test(raw)

function withFilter(part: Extract<Part, { type: 'finish' }>): Part {
  const { unified, raw = '' } = part.finishReason
  return isFiltered(unified, raw) ? { ...part, finishReason: { unified: 'content-filter', raw } } : part
}
