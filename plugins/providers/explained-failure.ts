import { APICallError } from '@ai-sdk/provider'
import type { ExplainedFailure, ProviderFailure, ProviderKind } from '#kernel'

/** Sorts what a call of this kind threw: its own explanation, else what status, body and cause say of themselves. */
export function explainFailure(error: unknown, kind: ProviderKind): ExplainedFailure {
  const { status, headers } = answerOf(error)
  const retry_after_ms = headers && pauseIn(headers)
  return {
    ...(status !== undefined && { status }),
    ...(retry_after_ms !== undefined && { retry_after_ms }),
    ...(kind.explainError?.(error) ?? { reason: reasonOf(error) }),
  }
}

/** What the upstream itself says of the failure, where it says anything. */
export function upstreamWords(error: unknown): string | undefined {
  const { data } = answerOf(error)
  const { message } = fieldsOf(data)
  if (typeof message === 'string' && message !== '') return message
  if (typeof data === 'string' && data.trim() !== '') return data.trim()
  return error instanceof Error ? error.message : undefined
}

interface Answer {
  /** The HTTP status, those of successes included. */
  status?: number
  headers?: Record<string, string>
  /** The parsed body, or as it came where it is not JSON. */
  data: unknown
}

/** The upstream's answer inside an error of the AI SDK's form; what a stream reports may be no Error at all. */
function answerOf(error: unknown): Answer {
  if (!(error instanceof Error)) return { data: error }
  const { statusCode, data, responseBody, responseHeaders } = error as Error & {
    statusCode?: number
    data?: unknown
    responseBody?: string
    responseHeaders?: Record<string, string>
  }
  return { status: statusCode, headers: responseHeaders, data: data ?? parse(responseBody) }
}

function parse(text: string | undefined): unknown {
  try {
    return text && JSON.parse(text)
  } catch {
    // Gateways answer in HTML or plain text.
    return text
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

function reasonOf(error: unknown): ProviderFailure {
  const { status, data } = answerOf(error)
  const { code, type, message } = fieldsOf(data)
  const marks = `${code ?? ''} ${type ?? ''}`
  if (status === 402 || /quota|billing|insufficient_(balance|funds|credit)/i.test(marks)) return 'quota'
  if (/model_not_found|model_not_exist|unknown_model/i.test(marks)) return 'model_not_found'
  if (status === 401 || status === 403 || /invalid_api_key|authentication/i.test(marks)) return 'auth'
  if (status === 404) return 'model_not_found'
  if (status === 429 || /rate_limit/i.test(marks)) return 'rate_limit'
  if (status === 408 || status === 504) return 'timeout'
  if (status !== undefined && status >= 500) return 'outage'
  // A success that is no answer comes from an address that is not this API's.
  if (status !== undefined) return 'bad_request'
  if (message !== undefined || typeof data === 'string') return 'outage'
  // What began as an answer and was none, for no reason of the network's.
  if (APICallError.isInstance(error) && error.cause === undefined) return 'outage'
  return reasonOfCause(error)
}

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

/** `retry-after-ms`, or `retry-after`, which is in seconds or a date. */
function pauseIn(headers: Record<string, string>): number | undefined {
  const { 'retry-after-ms': milliseconds, 'retry-after': asked } = headers
  const ms = milliseconds
    ? Number(milliseconds)
    : asked && /^[\d.]+$/.test(asked)
      ? Number(asked) * 1000
      : Date.parse(asked ?? '') - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
