import { APICallError } from '@ai-sdk/provider'
import type { ExplainedFailure, UpstreamReport } from '#plugin-api'

/** Google's error object; its `status` is a name of google.rpc.Code, or ours: BLOCKED, UNFINISHED. */
export interface GoogleError {
  code?: number | null
  message?: string
  status?: string
  details?: unknown[] | null
}

interface Detail {
  /** Of an ErrorInfo. */
  reason?: string
  /** Of a QuotaFailure. */
  violations?: { quotaId?: string }[]
  /** Of a RetryInfo, in seconds with an `s` behind. */
  retryDelay?: string
}

/** Makes the error of an answer that failed after it had begun. */
export function createAnswerError(error: GoogleError, url: string): APICallError {
  const code = error.code ?? 0
  return new APICallError({
    message: error.message ?? 'Google reported an error.',
    url,
    requestBodyValues: undefined,
    statusCode: code >= 400 && code <= 599 ? code : undefined,
    data: { error },
  })
}

/** Sorts what Google says in the details of its errors; the names of status are those of google.rpc. */
export function explainError({ error, message }: UpstreamReport): ExplainedFailure | undefined {
  const { status, details } = error as GoogleError
  const facts = (details ?? []) as Detail[]
  const has = (reason: string) => facts.some((fact) => fact?.reason === reason)

  if (has('API_KEY_INVALID')) return { reason: 'auth' }
  if (has('BILLING_DISABLED')) return { reason: 'quota' }
  if (status === 'BLOCKED') return { reason: 'bad_request' }
  if (status === 'FAILED_PRECONDITION' && /billing/i.test(message)) return { reason: 'quota' }
  if (status === 'INVALID_ARGUMENT' && /unexpected model name/i.test(message))
    return { reason: 'model_not_found' }
  if (status !== 'RESOURCE_EXHAUSTED') return undefined
  if (isSpent(message, facts)) return { reason: 'quota' }
  const retry_after_ms = pauseIn(facts)
  return { reason: 'rate_limit', ...(retry_after_ms !== undefined && { retry_after_ms }) }
}

/** Whether waiting for a minute is no use: the day's share or the money is spent, or there is no share at all. */
function isSpent(message: string, facts: Detail[]): boolean {
  if (/limit: 0\b|credits are depleted|spending cap/i.test(message)) return true
  const violations = facts.flatMap((fact) => fact?.violations ?? [])
  if (violations.length > 0) return violations.some(({ quotaId = '' }) => /PerDay/.test(quotaId))
  return /exceeded your current quota/i.test(message) && pauseIn(facts) === undefined
}

function pauseIn(facts: Detail[]): number | undefined {
  const delay = facts.find((fact) => fact?.retryDelay !== undefined)?.retryDelay
  const seconds = Number.parseFloat(delay ?? '')
  return Number.isFinite(seconds) ? Math.ceil(seconds * 1000) : undefined
}
