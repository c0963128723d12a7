import { AppError, CHANNEL_FAILURES, type ChannelFailureReason } from '#kernel'
export interface Failure {
  reason: ChannelFailureReason
  detail: string
  retry_after_ms?: number
}
export function failureOf(error: unknown): Failure {
  const e = error as {
    reason?: ChannelFailureReason
    message?: string
    retry_after_ms?: number
    cause?: { code?: string }
    name?: string
  }
  if (e?.reason && CHANNEL_FAILURES.includes(e.reason))
    return {
      reason: e.reason,
      detail: e.message ?? '',
      ...(e.retry_after_ms !== undefined && { retry_after_ms: e.retry_after_ms }),
    }
  if (error instanceof AppError && error.code === 'ADDRESS_NOT_ALLOWED')
    return { reason: 'forbidden', detail: 'address' }
  if (e?.name === 'TimeoutError') return { reason: 'timeout', detail: 'no answer' }
  if (e?.cause?.code === 'ECONNREFUSED') return { reason: 'unreachable', detail: 'refused' }
  return { reason: 'unknown', detail: 'failed' }
}
