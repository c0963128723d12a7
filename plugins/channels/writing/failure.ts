import { CHANNEL_FAILURES, type ChannelFailureReason } from '#plugin-api'

/** Why something that a platform should have done was not done. */
export interface Failure {
  reason: ChannelFailureReason
  /** A sentence for people; holds no secret. */
  detail: string
  /** How long the platform asks to be left alone, in milliseconds. */
  retry_after_ms?: number
}

/** How many errors behind errors are looked at, those of several attempts included. */
const MAX_CAUSES = 32
const MAX_DETAIL = 500

const TIMEOUTS =
  /^(?:ETIMEDOUT|ESOCKETTIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/
const CERTIFICATES =
  /^(?:CERT_|CRL_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$)/
const NETWORK =
  /^(?:E(?:CONN|HOST|NET|ADDR|PIPE|PROTO|AI_)[A-Z]*|ENOTFOUND|EPROTO|UND_ERR_[A-Z_]+|ERR_SOCKET_[A-Z_]+|ERR_STREAM_[A-Z_]+)$/

const isReason = (reason: unknown): reason is ChannelFailureReason =>
  CHANNEL_FAILURES.includes(reason as ChannelFailureReason)

/** An error, what caused it, and what caused that, nearest first. */
function causesOf(error: unknown): Record<string, unknown>[] {
  const causes: unknown[] = [error]
  for (let index = 0; index < causes.length && index < MAX_CAUSES; index += 1) {
    const { cause, errors } = Object(causes[index]) as { cause?: unknown; errors?: unknown }
    const next = [cause, ...(Array.isArray(errors) ? errors : [])]
    causes.push(...next.filter((each) => each && typeof each === 'object' && !causes.includes(each)))
  }
  return causes.slice(0, MAX_CAUSES).map((each) => Object(each))
}

/**
 * Sorts whatever was thrown. Only what says its reason is quoted, as the contract has it that such a message holds no
 * secret; of anything else no more than a network's code is told.
 */
export function failureOf(error: unknown): Failure {
  for (const cause of causesOf(error)) {
    const failure = statedFailure(cause) ?? knownFailure(cause)
    if (failure) return failure
  }
  return { reason: 'unknown', detail: 'Something went wrong with the platform.' }
}

function statedFailure({ reason, message, retry_after_ms }: Record<string, unknown>): Failure | undefined {
  if (!isReason(reason)) return undefined
  const detail = typeof message === 'string' && message !== '' ? message : `The platform failed: ${reason}.`
  const isTime = typeof retry_after_ms === 'number' && Number.isFinite(retry_after_ms) && retry_after_ms >= 0
  return { reason, detail: detail.slice(0, MAX_DETAIL), ...(isTime && { retry_after_ms }) }
}

function knownFailure({ name, code }: Record<string, unknown>): Failure | undefined {
  if (code === 'ADDRESS_NOT_ALLOWED')
    return {
      reason: 'forbidden',
      detail: 'The address is not allowed: it lies in a local or private network.',
    }
  if (name === 'TimeoutError') return { reason: 'timeout', detail: 'The platform did not answer in time.' }
  if (typeof code !== 'string') return undefined
  if (TIMEOUTS.test(code))
    return { reason: 'timeout', detail: `The platform did not answer in time (${code}).` }
  if (CERTIFICATES.test(code))
    return { reason: 'unreachable', detail: `The connection to the platform is not secure (${code}).` }
  if (NETWORK.test(code))
    return { reason: 'unreachable', detail: `The platform cannot be reached (${code}).` }
  return undefined
}
