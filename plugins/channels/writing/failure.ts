import { CHANNEL_FAILURES, type ChannelFailureReason } from '#plugin-api'

/** The reason why a call to a platform failed. */
export interface Failure {
  reason: ChannelFailureReason
  /** A sentence for people, without secrets. */
  detail: string
  /** The pause that the platform asks for, in milliseconds. */
  retry_after_ms?: number
}

/** Causes of an error that are examined, including those of an AggregateError. */
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

/** Lists an error and its causes, nearest first. */
function listCauses(error: unknown): Record<string, unknown>[] {
  const causes: unknown[] = [error]
  for (let index = 0; index < causes.length && index < MAX_CAUSES; index += 1) {
    const { cause, errors } = Object(causes[index]) as { cause?: unknown; errors?: unknown }
    const next = [cause, ...(Array.isArray(errors) ? errors : [])]
    causes.push(...next.filter((each) => each && typeof each === 'object' && !causes.includes(each)))
  }
  return causes.slice(0, MAX_CAUSES).map((each) => Object(each))
}

/**
 * Classifies a thrown value. Quotes only messages of errors that state a reason, which hold no secret by the contract
 * of `ChannelFailure`. For any other error the detail is a fixed sentence with at most an error code.
 */
export function toFailure(error: unknown): Failure {
  for (const cause of listCauses(error)) {
    const failure = readStatedFailure(cause) ?? classifyKnownError(cause)
    if (failure) return failure
  }
  return { reason: 'unknown', detail: 'Something went wrong with the platform.' }
}

function readStatedFailure({
  reason,
  message,
  retry_after_ms,
}: Record<string, unknown>): Failure | undefined {
  if (!isReason(reason)) return undefined
  const detail = typeof message === 'string' && message !== '' ? message : `The platform failed: ${reason}.`
  const isTime = typeof retry_after_ms === 'number' && Number.isFinite(retry_after_ms) && retry_after_ms >= 0
  return { reason, detail: detail.slice(0, MAX_DETAIL), ...(isTime && { retry_after_ms }) }
}

function classifyKnownError({ name, code }: Record<string, unknown>): Failure | undefined {
  if (code === 'ADDRESS_NOT_ALLOWED')
    return {
      reason: 'forbidden',
      detail: 'The address is not allowed: it is in a local or private network.',
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
