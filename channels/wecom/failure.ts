import { AppError } from '#kernel'
import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'

/** Codes of WeCom that say why; others say only that it refused. */
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

/** WeCom tells no time; thirty messages a minute in a conversation are one every two seconds. */
const RATE_PAUSE_MS = 2000

/** What the platform answered to a command instead of carrying it out. */
export class RefusedCall extends ChannelFailure {
  readonly code: number

  /** `otherwise` is the reason where the code is none that is known. */
  constructor(command: string, code: number, otherwise: ChannelFailureReason = 'unknown') {
    const reason = REASONS[code] ?? otherwise
    // The platform's own words hold this server's address and ids of requests, so only the code is told.
    super(reason, `WeCom refused ${command} with code ${code}`, {
      retry_after_ms: reason === 'rate_limited' ? RATE_PAUSE_MS : undefined,
    })
    this.name = 'RefusedCall'
    this.code = code
  }
}

/** What the client library says of a subscription that was refused. */
const REFUSED_SUBSCRIPTION = /^Authentication failed: .*\(code: (-?\d+)\)$/s

/** Sorts what ends a socket, or keeps it from opening. */
export function explainSocketError(error: Error & { code?: unknown }): Error {
  if (error instanceof AppError || error instanceof ChannelFailure) return error
  const refused = REFUSED_SUBSCRIPTION.exec(error.message)
  if (refused) return new RefusedCall('the robot', Number(refused[1]), 'forbidden')
  if (/handshake has timed out/.test(error.message))
    return new ChannelFailure('timeout', 'WeCom did not answer the handshake in time')
  const status = Number(/Unexpected server response: (\d+)/.exec(error.message)?.[1] ?? 0)
  if (status) return new ChannelFailure(reasonOfStatus(status), `WeCom answered with HTTP status ${status}`)
  const code = typeof error.code === 'string' ? ` (${error.code})` : ''
  return new ChannelFailure('unreachable', `The connection to WeCom failed${code}`)
}

/** Sorts what a command ends with in the client library: the platform's refusal, or an error of its own. */
export function explainCallError(command: string, error: unknown): unknown {
  if (error instanceof ChannelFailure) return error
  const { errcode, message } = error as { errcode?: unknown; message?: unknown }
  if (typeof errcode === 'number') return new RefusedCall(command, errcode)
  if (/ack timeout/.test(String(message)))
    return new ChannelFailure('timeout', `WeCom did not confirm ${command} in time`)
  if (/exceeds max size/.test(String(message)))
    return new ChannelFailure('rate_limited', `Too many calls of ${command} wait for WeCom`, {
      retry_after_ms: RATE_PAUSE_MS,
    })
  return new ChannelFailure('unreachable', `The connection to WeCom was gone before ${command} was confirmed`)
}

/** What an HTTP status means. */
export function reasonOfStatus(status: number): ChannelFailureReason {
  if (status === 401 || status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'not_found'
  if (status === 429) return 'rate_limited'
  return status >= 500 ? 'unreachable' : 'unknown'
}

/** Sorts what `fetch` throws. The cause is left out, as it may name an address that is signed. */
export function explainFetchError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (error instanceof AppError || error instanceof ChannelFailure) return error
  if ((error as Error).name === 'TimeoutError')
    return new ChannelFailure('timeout', 'WeCom did not answer in time')
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown }
  return new ChannelFailure(
    'unreachable',
    `WeCom cannot be reached${typeof code === 'string' ? ` (${code})` : ''}`,
  )
}
