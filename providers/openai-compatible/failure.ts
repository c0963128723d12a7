import type { Readable } from 'node:stream'
import { APICallError } from '@ai-sdk/provider'
import type { StreamedAnswer } from '#plugin-api'

/** The part of an error body that is read. */
const MAX_BODY_CHARS = 4096

/** Creates the errors of one connection; they contain no prompt and no request header, because errors are logged. */
export interface Failures {
  unreachable(cause: unknown): APICallError
  /** For a connection that was lost within the answer. */
  interrupted(cause: unknown): APICallError
  /** For an answer that ended too early. */
  unfinished(): APICallError
  malformed(message: string, cause?: unknown): APICallError
  /** For an answer that is not a stream of events, whose body it reads. */
  refused(answer: StreamedAnswer): Promise<APICallError>
  /** For the `error` of an event in the middle of a stream. */
  reported(error: unknown): APICallError
}

/** Creates the factory for errors of calls to `url`. */
export function createFailures(url: string): Failures {
  const fail = (message: string, details: Partial<ConstructorParameters<typeof APICallError>[0]> = {}) =>
    new APICallError({ message, url, requestBodyValues: undefined, ...details })

  return {
    unreachable: (cause) => fail('The upstream cannot be reached.', { cause }),
    interrupted: (cause) => fail('The connection was lost in the middle of the answer.', { cause }),
    unfinished: () => fail('The stream ended before its answer was finished.'),
    malformed: (message, cause) => fail(message, { cause }),
    async refused({ status: statusCode, headers, body }) {
      return fail(`The upstream answered with status ${statusCode}.`, {
        statusCode,
        responseBody: await readText(body, MAX_BODY_CHARS),
        responseHeaders: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, String(value)]),
        ),
      })
    },
    reported(error) {
      const code = Number((error as { code?: unknown } | null)?.code)
      const statusCode = code >= 400 && code <= 599 ? code : undefined
      return fail('The upstream reported an error.', { statusCode, data: { error } })
    },
  }
}

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
