import { CHANNEL_FAILURES, type ChannelFailureReason, listCauses, readNetworkFailure } from '#plugin-api'

/** The reason why a call to a platform failed. */
export interface Failure {
  reason: ChannelFailureReason
  /** A sentence for people, without secrets. */
  detail: string
  /** The pause that the platform asks for, in milliseconds. */
  retry_after_ms?: number
  /** Set if the platform refused the text itself, so that another form of it may be accepted. */
  is_about_text?: true
}

const MAX_DETAIL = 500

const isReason = (reason: unknown): reason is ChannelFailureReason =>
  CHANNEL_FAILURES.includes(reason as ChannelFailureReason)

/**
 * Classifies a thrown value. Quotes only messages of errors that state a reason, which hold no secret by the contract
 * of `ChannelFailure`. For any other error the detail is a fixed sentence with at most an error code.
 */
export function toFailure(error: unknown): Failure {
  for (const cause of listCauses(error)) {
    const failure = readStatedFailure(cause) ?? classifyNetworkError(cause)
    if (failure) return failure
  }
  return { reason: 'unknown', detail: 'Something went wrong with the platform.' }
}

function readStatedFailure({
  reason,
  message,
  retry_after_ms,
  is_about_text,
}: Record<string, unknown>): Failure | undefined {
  if (!isReason(reason)) return undefined
  const detail = typeof message === 'string' && message !== '' ? message : `The platform failed: ${reason}.`
  const isTime = typeof retry_after_ms === 'number' && Number.isFinite(retry_after_ms) && retry_after_ms >= 0
  return {
    reason,
    detail: detail.slice(0, MAX_DETAIL),
    ...(isTime && { retry_after_ms }),
    ...(is_about_text === true && { is_about_text }),
  }
}

function classifyNetworkError(error: Record<string, unknown>): Failure | undefined {
  const failure = readNetworkFailure(error)
  if (!failure) return undefined
  const suffix = failure.code ? ` (${failure.code})` : ''
  switch (failure.reason) {
    case 'address_not_allowed':
      return {
        reason: 'forbidden',
        detail: 'The address is not allowed: it is in a local or private network.',
      }
    case 'timeout':
      return { reason: 'timeout', detail: `The platform did not answer in time${suffix}.` }
    case 'insecure':
      return { reason: 'unreachable', detail: `The connection to the platform is not secure${suffix}.` }
    case 'unreachable':
      return { reason: 'unreachable', detail: `The platform cannot be reached${suffix}.` }
  }
}
