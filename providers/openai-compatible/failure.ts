import type { Readable } from 'node:stream'
import { APICallError } from '@ai-sdk/provider'
import { parseLoosely, type StreamedAnswer } from '#plugin-api'
import { type ErrorBody, readErrorBody, readWords } from './error-body.ts'

/** The part of an error body that is read. */
const MAX_BODY_CHARS = 4096

/**
 * Creates the factory for errors of calls to `url`, which contain no prompt and no request header, because errors are
 * logged. `isJson` is true if the answer says that it is not a stream.
 */
export function createFailures(url: string, { isJson = false } = {}) {
  const fail = (message: string, details: Partial<ConstructorParameters<typeof APICallError>[0]> = {}) =>
    new APICallError({ message, url, requestBodyValues: undefined, ...details })

  return {
    unreachable: (cause: unknown) => fail('The upstream cannot be reached.', { cause }),
    /** For a connection that was lost within the answer. */
    interrupted: (cause: unknown) => fail('The connection was lost in the middle of the answer.', { cause }),
    /** For an answer that ended too early, or one without a beginning. */
    unfinished: (hasBegun: boolean) =>
      hasBegun || !isJson
        ? fail('The stream ended before its answer was finished.')
        : fail('The upstream answered with JSON that is not a chat completion.', { statusCode: 200 }),
    malformed: (message: string, cause?: unknown) => fail(message, { cause }),
    /** For an answer with an error status or a page, whose body it reads. */
    async refused({ status: statusCode, headers, body }: StreamedAnswer): Promise<APICallError> {
      const responseBody = await readText(body, MAX_BODY_CHARS)
      // Gateways also answer in HTML or plain text.
      const answer = parseLoosely(responseBody)
      const message = readWords(answer)
      const error = readErrorBody(answer) ?? (message === undefined ? undefined : { message })
      return fail(`The upstream answered with status ${statusCode}.`, {
        statusCode,
        responseBody,
        ...(error && { data: { error } }),
        responseHeaders: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, String(value)]),
        ),
      })
    },
    /** For an error that the upstream reports in an answer with a status of success. */
    reported: (error: ErrorBody) =>
      fail('The upstream reported an error.', { statusCode: error.status, data: { error } }),
  }
}

/** The factory for the errors of one connection. */
export type Failures = ReturnType<typeof createFailures>

/** Reads a body up to about this many characters. */
export async function readText(body: Readable, limit: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length >= limit) break
  }
  return text.slice(0, limit)
}
