import { AppError } from '#kernel'
import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { findErrorCode } from '#toolbox'

/** Meanings of WeCom's codes; all others are `unknown`. */
const REASONS: Record<number, ChannelFailureReason> = {
  [-1]: 'unreachable',
  6000: 'rate_limited',
  40008: 'unsupported',
  40058: 'unsupported',
  45009: 'rate_limited',
  45033: 'rate_limited',
  48002: 'forbidden',
  60011: 'forbidden',
  846609: 'unreachable',
  853000: 'invalid_credentials',
}

/** WeCom states no duration; it allows thirty messages per minute in a conversation. */
const RATE_PAUSE_MS = 2000

/** A command that the platform refused. */
export class RefusedCall extends ChannelFailure {
  readonly code: number

  /** `otherwise` is the reason for an unknown code. */
  constructor(command: string, code: number, otherwise: ChannelFailureReason = 'unknown') {
    const reason = REASONS[code] ?? otherwise
    // The platform's message contains this server's address and ids of requests, so only the code is passed on.
    super(reason, `WeCom refused ${command} with code ${code}`, {
      retry_after_ms: reason === 'rate_limited' ? RATE_PAUSE_MS : undefined,
    })
    this.name = 'RefusedCall'
    this.code = code
  }
}

/** The client library's message for a refused subscription. */
const REFUSED_SUBSCRIPTION = /^Authentication failed: .*\(code: (-?\d+)\)$/s

/** Classifies the error of a socket. */
export function toSocketFailure(error: Error & { code?: unknown }): Error {
  if (error instanceof AppError || error instanceof ChannelFailure) return error
  const refused = REFUSED_SUBSCRIPTION.exec(error.message)
  if (refused) return new RefusedCall('the robot', Number(refused[1]), 'forbidden')
  if (/handshake has timed out/.test(error.message))
    return new ChannelFailure('timeout', 'WeCom did not answer the handshake in time')
  const status = Number(/Unexpected server response: (\d+)/.exec(error.message)?.[1] ?? 0)
  if (status) return new ChannelFailure(toReason(status), `WeCom answered with HTTP status ${status}`)
  const code = typeof error.code === 'string' ? ` (${error.code})` : ''
  return new ChannelFailure('unreachable', `The connection to WeCom failed${code}`)
}

/** Classifies the error of a command: a refusal by the platform, or an error of the client library. */
export function toCallFailure(command: string, error: unknown): unknown {
  if (error instanceof ChannelFailure) return error
  const { errcode, message } = error as { errcode?: unknown; message?: unknown }
  if (typeof errcode === 'number') return new RefusedCall(command, errcode)
  if (/ack timeout/.test(String(message)))
    return new ChannelFailure('timeout', `WeCom did not confirm ${command} in time`)
  if (/exceeds max size/.test(String(message)))
    return new ChannelFailure('rate_limited', `Too many calls of ${command} are waiting for WeCom`, {
      retry_after_ms: RATE_PAUSE_MS,
    })
  return new ChannelFailure('unreachable', `The connection to WeCom was lost before ${command} was confirmed`)
}

/** Classifies an HTTP status. */
export function toReason(status: number): ChannelFailureReason {
  if (status === 401 || status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'not_found'
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'unreachable' : 'unknown'
}

/** Classifies an error of `fetch`. The cause is left out because it may contain a signed address. */
export function toFetchFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof AppError || error instanceof ChannelFailure) return error
  if ((error as Error).name === 'TimeoutError')
    return new ChannelFailure('timeout', 'WeCom did not answer in time')
  const code = findErrorCode(error)
  return new ChannelFailure('unreachable', `WeCom cannot be reached${code ? ` (${code})` : ''}`)
}
