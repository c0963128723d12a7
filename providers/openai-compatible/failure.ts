import { APICallError } from '@ai-sdk/provider'

/** Characters of an error body that are read and kept. */
const MAX_BODY = 4096

/** Makes the errors of one connection; no prompt and no header of a request goes into them, because errors are logged. */
export interface Failures {
  unreachable(cause: unknown): APICallError
  /** The connection broke within the answer. */
  interrupted(cause: unknown): APICallError
  /** The answer ended, but not as a whole answer does. */
  unfinished(): APICallError
  malformed(message: string, cause?: unknown): APICallError
  /** From an answer that is no stream of events; reads its body. */
  refused(response: Response): Promise<APICallError>
  /** From the `error` of an event in the middle of a stream. */
  reported(error: unknown): APICallError
}

/** Makes the errors of calls to `url`. */
export function createFailures(url: string): Failures {
  const fail = (message: string, details: Partial<ConstructorParameters<typeof APICallError>[0]> = {}) =>
    new APICallError({ message, url, requestBodyValues: undefined, ...details })

  return {
    unreachable: (cause) => fail('The upstream cannot be reached.', { cause }),
    interrupted: (cause) => fail('The connection broke in the middle of the answer.', { cause }),
    unfinished: () => fail('The stream ended before its answer was finished.'),
    malformed: (message, cause) => fail(message, { cause }),
    async refused(response) {
      const { status: statusCode, headers } = response
      return fail(`The upstream answered with status ${statusCode}.`, {
        statusCode,
        responseBody: await readText(response, MAX_BODY),
        responseHeaders: Object.fromEntries(headers),
      })
    },
    reported(error) {
      const code = Number((error as { code?: unknown } | null)?.code)
      const statusCode = code >= 400 && code <= 599 ? code : undefined
      return fail('The upstream reported an error.', { statusCode, data: { error } })
    },
  }
}

/** Reads a body up to about so many characters. */
export async function readText(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length >= limit) break
  }
  return text.slice(0, limit)
}
