import { APICallError } from '@ai-sdk/provider'
import type { ExplainedFailure, UpstreamReport } from '#plugin-api'

/** Makes the errors of one connection; none holds anything of the conversation. */
export interface Failures {
  unreachable(cause: unknown): APICallError
  /** From an answer that is no success; reads its body. */
  refused(response: Response): Promise<APICallError>
  /** A success that is nothing Ollama would say. */
  foreign(response: Response): APICallError
  /** From the `error` of a line within an answer. */
  reported(error: unknown): APICallError
  malformed(cause?: unknown): APICallError
  unfinished(): APICallError
  /** The connection broke within the answer. */
  interrupted(cause: unknown): APICallError
}

/** Makes errors that name this URL. */
export function createFailures(url: string): Failures {
  const fail = (message: string, details: Partial<ConstructorParameters<typeof APICallError>[0]> = {}) =>
    new APICallError({ message, url, requestBodyValues: undefined, ...details })
  const say = (message: string, cause?: unknown) => fail(message, { cause, data: { error: message } })

  return {
    unreachable: (cause) => fail(`Ollama cannot be reached at ${url}.`, { cause }),
    async refused(response) {
      const { createJsonErrorResponseHandler } = await import('@ai-sdk/provider-utils')
      const { z } = await import('zod')
      const handle = createJsonErrorResponseHandler({
        errorSchema: z.object({ error: z.string() }),
        errorToMessage: ({ error }) => error,
      })
      return (await handle({ response, url, requestBodyValues: undefined })).value
    },
    foreign: ({ status }) => fail(`What answers at ${url} is not Ollama.`, { statusCode: status }),
    reported: (error) => say(typeof error === 'string' ? error : JSON.stringify(error)),
    malformed: (cause) => say('Ollama sent a line that is not a JSON object.', cause),
    unfinished: () => say('The answer ended before it was finished.'),
    interrupted: (cause) => fail('The connection broke in the middle of the answer.', { cause }),
  }
}

/** Sorts what Ollama says in words alone. */
export function explainError({ message }: UpstreamReport): ExplainedFailure | undefined {
  if (/\busage limit\b/i.test(message)) return { reason: 'quota' }
  if (/^model .* not found/i.test(message)) return { reason: 'model_not_found' }
  // It says so with status 500, but will say it again.
  if (/requires more system memory|out of memory/i.test(message)) return { reason: 'bad_request' }
  return undefined
}
