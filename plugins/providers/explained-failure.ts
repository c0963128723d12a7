import { APICallError } from '@ai-sdk/provider'
import type { ExplainedFailure, ProviderFailure, ProviderKind, UpstreamReport } from '#plugin-api'
import { findNetworkFailure, listCauses } from '#toolbox'
import { readReport } from './upstream-report.ts'

/** Classifies an error of a call: by the kind's own explanation, otherwise by status, body and cause. */
export function explainFailure(error: unknown, kind: ProviderKind): ExplainedFailure {
  const report = readReport(error)
  const retry_after_ms = readPause(report.headers)
  return {
    ...(report.status !== undefined && { status: report.status }),
    ...(kind.explainError?.(report, error) ?? { reason: findReason(report, error) }),
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  }
}

function findReason({ status, body, code, type, message }: UpstreamReport, error: unknown): ProviderFailure {
  const marks = `${code} ${type}`
  if (status === 402 || /quota|billing|insufficient_(balance|funds|credit)/i.test(marks)) return 'quota'
  if (/model_not_found|model_not_exist|unknown_model/i.test(marks)) return 'model_not_found'
  if (status === 401 || status === 403 || /invalid_api_key|authentication/i.test(marks)) return 'auth'
  if (status === 404) return 'model_not_found'
  if (status === 429 || /rate_limit/i.test(marks)) return 'rate_limit'
  if (status === 408 || status === 504) return 'timeout'
  if (status !== undefined && status >= 500) return 'outage'
  const network = classifyCause(error)
  if (network !== 'unknown') return network
  // A status of success without an answer means that the address does not belong to this API.
  if (status !== undefined) return 'bad_request'
  if (body !== undefined && message !== '') return 'outage'
  // An answer that began and did not end, though the network did not fail.
  return APICallError.isInstance(error) && error.cause === undefined ? 'outage' : 'unknown'
}

function classifyCause(error: unknown): ProviderFailure {
  // The error for a port that `fetch` refuses to connect to has no code.
  if (listCauses(error).some(({ message }) => message === 'bad port')) return 'unreachable'
  const reason = findNetworkFailure(error)?.reason
  if (reason === 'timeout') return 'timeout'
  return reason === 'unreachable' || reason === 'insecure' ? 'unreachable' : 'unknown'
}

/** Reads `retry-after-ms`, or `retry-after`, which is in seconds or a date. */
function readPause({ 'retry-after-ms': milliseconds, 'retry-after': asked }: UpstreamReport['headers']) {
  const ms = milliseconds
    ? Number(milliseconds)
    : asked && /^[\d.]+$/.test(asked)
      ? Number(asked) * 1000
      : Date.parse(asked ?? '') - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
