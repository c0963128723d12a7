import { APICallError } from '@ai-sdk/provider'
import type { ProviderFailure } from '#kernel'

/** Characters of an error body that are read and kept. */
const MAX_BODY = 4096

/** Makes the errors of one connection; no prompt and no header goes into them, because errors are logged. */
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

/** `secret` is the key, which is cut out of whatever an upstream says. */
export function createFailures({ url, secret }: { url: string; secret?: string }): Failures {
  const fail = (message: string, details: Partial<ConstructorParameters<typeof APICallError>[0]>) =>
    new APICallError({ message, url, requestBodyValues: undefined, isRetryable: false, ...details })
  const clean = (text: string) => (secret ? text.replaceAll(secret, '[key]') : text)

  return {
    unreachable: (cause) => fail('The upstream cannot be reached.', { cause, isRetryable: isPassing(cause) }),
    interrupted: (cause) =>
      fail('The connection broke in the middle of the answer.', { cause, isRetryable: isPassing(cause) }),
    unfinished: () => fail('The stream ended before its answer was finished.', { isRetryable: true }),
    malformed: (message, cause) => fail(message, { cause }),
    async refused(response) {
      const { status: statusCode, headers } = response
      const responseBody = clean(await readText(response, MAX_BODY))
      const data = parse(responseBody)
      const message =
        messageOf(data) ?? (responseBody.trim() || `The upstream answered with status ${statusCode}.`)
      const retryAfter = { ...(headers.has('retry-after') && { 'retry-after': headers.get('retry-after')! }) }
      const isRetryable = (statusCode === 429 || statusCode >= 500) && reasonOf(statusCode, data) !== 'quota'
      return fail(message, { statusCode, data, responseBody, responseHeaders: retryAfter, isRetryable })
    },
    reported(error) {
      const data = parse(clean(JSON.stringify({ error })))
      const code = Number((error as { code?: unknown } | null)?.code)
      const statusCode = code >= 400 && code <= 599 ? code : undefined
      const isRetryable = statusCode === 429 || (statusCode ?? 0) >= 500
      return fail(messageOf(data) ?? 'The upstream reported an error.', { statusCode, data, isRetryable })
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Gateways answer in HTML or plain text, which is kept as it is.
    return undefined
  }
}

interface ErrorFields {
  message?: unknown
  code?: unknown
  type?: unknown
}

/** The error object of OpenAI's form, or of those who wrap it in a list or leave the wrapping out. */
function fieldsOf(data: unknown): ErrorFields {
  const body = Array.isArray(data) ? data[0] : data
  if (typeof body !== 'object' || body === null) return {}
  const { error, detail } = body as { error?: unknown; detail?: unknown }
  if (typeof error === 'object' && error !== null) return error
  if (typeof error === 'string') return { message: error }
  return typeof detail === 'string' ? { message: detail } : body
}

function messageOf(data: unknown): string | undefined {
  const { message } = fieldsOf(data)
  return typeof message === 'string' && message !== '' ? message : undefined
}

/** Sorts what this kind throws. */
export function explainError(error: unknown): { reason: ProviderFailure; status?: number } {
  if (APICallError.isInstance(error)) {
    const { statusCode: status, data, cause } = error
    if (status !== undefined && status >= 400) return { reason: reasonOf(status, data), status }
    if (fieldsOf(data).message !== undefined) return { reason: reasonOf(undefined, data) }
    // A success that is no answer comes from an address that is not this API's.
    if (status !== undefined) return { reason: 'bad_request', status }
    return { reason: cause === undefined ? 'outage' : reasonOfCause(cause) }
  }
  return { reason: reasonOfCause(error) }
}

function reasonOf(status: number | undefined, data: unknown): ProviderFailure {
  const { code, type } = fieldsOf(data)
  const marks = `${code ?? ''} ${type ?? ''}`
  if (status === 402 || /quota|billing|insufficient_(balance|funds|credit)/i.test(marks)) return 'quota'
  if (/model_not_found|model_not_exist|unknown_model/i.test(marks)) return 'model_not_found'
  if (status === 401 || status === 403 || /invalid_api_key|authentication/i.test(marks)) return 'auth'
  if (status === 404) return 'model_not_found'
  if (status === 429 || /rate_limit/i.test(marks)) return 'rate_limit'
  if (status === 408 || status === 504) return 'timeout'
  if (status === undefined || status >= 500) return 'outage'
  return 'bad_request'
}

/** Whoever waited for a time limit should not be made to wait for it again. */
const isPassing = (cause: unknown) => reasonOfCause(cause) !== 'timeout'

const TIMEOUTS = /TIMEOUT$|^ETIMEDOUT$/
const UNREACHABLE =
  /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|EPROTO|UND_ERR_\w+|CERT_\w+|ERR_(TLS|SSL)\w+|DEPTH_ZERO\w+|SELF_SIGNED\w+|UNABLE_TO\w+)$/

function reasonOfCause(error: unknown): ProviderFailure {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return 'timeout'
    const { code } = cause as NodeJS.ErrnoException
    if (typeof code !== 'string') continue
    if (TIMEOUTS.test(code)) return 'timeout'
    if (UNREACHABLE.test(code)) return 'unreachable'
  }
  return 'unknown'
}
