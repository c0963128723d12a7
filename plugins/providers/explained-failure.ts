import { APICallError } from '@ai-sdk/provider'
import type { ExplainedFailure, ProviderFailure, ProviderKind, UpstreamReport } from '#plugin-api'
import { reportOf } from './upstream-report.ts'

/** Sorts what a call of this kind threw: by its own explanation, else by what status, body and cause say. */
export function explainFailure(error: unknown, kind: ProviderKind): ExplainedFailure {
  const report = reportOf(error)
  const retry_after_ms = pauseIn(report.headers)
  return {
    ...(report.status !== undefined && { status: report.status }),
    ...(kind.explainError?.(report, error) ?? { reason: reasonOf(report, error) }),
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  }
}

function reasonOf({ status, body, code, type, message }: UpstreamReport, error: unknown): ProviderFailure {
  const marks = `${code} ${type}`
  if (status === 402 || /quota|billing|insufficient_(balance|funds|credit)/i.test(marks)) return 'quota'
  if (/model_not_found|model_not_exist|unknown_model/i.test(marks)) return 'model_not_found'
  if (status === 401 || status === 403 || /invalid_api_key|authentication/i.test(marks)) return 'auth'
  if (status === 404) return 'model_not_found'
  if (status === 429 || /rate_limit/i.test(marks)) return 'rate_limit'
  if (status === 408 || status === 504) return 'timeout'
  if (status !== undefined && status >= 500) return 'outage'
  const broken = reasonOfCause(error)
  if (broken !== 'unknown') return broken
  // A success that is no answer comes from an address that is not this API's.
  if (status !== undefined) return 'bad_request'
  if (body !== undefined && message !== '') return 'outage'
  // What began as an answer and was none, for no reason of the network's.
  return APICallError.isInstance(error) && error.cause === undefined ? 'outage' : 'unknown'
}

const TIMEOUTS = /TIMEOUT$|^ETIMEDOUT$/
const UNREACHABLE =
  /^(ECONN\w+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|EPROTO|UND_ERR_\w+|CERT_\w+|ERR_(TLS|SSL)\w+|DEPTH_ZERO\w+|SELF_SIGNED\w+|UNABLE_TO\w+)$/

function reasonOfCause(error: unknown): ProviderFailure {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.name === 'TimeoutError') return 'timeout'
    // A port that `fetch` never connects to has no code.
    if (cause.message === 'bad port') return 'unreachable'
    const { code } = cause as NodeJS.ErrnoException
    if (typeof code !== 'string') continue
    if (TIMEOUTS.test(code)) return 'timeout'
    if (UNREACHABLE.test(code)) return 'unreachable'
  }
  return 'unknown'
}

/** `retry-after-ms`, or `retry-after`, which is in seconds or a date. */
function pauseIn({ 'retry-after-ms': milliseconds, 'retry-after': asked }: UpstreamReport['headers']) {
  const ms = milliseconds
    ? Number(milliseconds)
    : asked && /^[\d.]+$/.test(asked)
      ? Number(asked) * 1000
      : Date.parse(asked ?? '') - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
