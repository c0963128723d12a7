import { AppError } from '#kernel'
import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { findErrorCode } from '#toolbox'

/** The code for a call on a connection whose subscription the platform has lost. */
const NOT_SUBSCRIBED = 846609

/** Meanings of WeCom's codes, from its general list and that of robots; all others are `unknown`. */
const MEANINGS: [ChannelFailureReason, string, number[]][] = [
  ['unreachable', 'WeCom is busy', [-1]],
  ['rate_limited', 'too many calls', [6000, 45009, 45033]],
  ['unsupported', 'the content is too long, empty or invalid', [40058, 44004, 45002]],
  ['unsupported', 'this type of message or file is not accepted', [40004, 40005, 40008]],
  ['unsupported', 'the file has a size that is not accepted', [40006, 40009, 40011, 45001]],
  ['forbidden', 'the robot lacks the permission', [48002, 60011, 301002, 853006]],
  ['forbidden', "this server's address is not on the list of trusted addresses", [60020]],
  ['forbidden', 'the robot is disabled', [93004]],
  ['not_found', 'the message can no longer be answered', [93000, 846605, 846608]],
  ['not_found', 'the conversation or its members do not exist', [60111, 81013, 93006, 93008]],
  ['unreachable', 'the connection is not subscribed', [NOT_SUBSCRIBED]],
  ['invalid_credentials', 'the ID or the secret of the robot is wrong', [853000]],
]

const MEANINGS_BY_CODE = new Map(
  MEANINGS.flatMap(([reason, words, codes]) => codes.map((code) => [code, { reason, words }] as const)),
)

/** Codes that refuse the content of a message. */
const ABOUT_TEXT: readonly number[] = [40058, 44004, 45002]

/** WeCom states no duration; it allows thirty messages per minute in a conversation. */
const RATE_PAUSE_MS = 2000

/** A command that the platform refused. */
export class RefusedCall extends ChannelFailure {
  readonly code: number

  /** `otherwise` is the reason for an unknown code. */
  constructor(command: string, code: number, otherwise: ChannelFailureReason = 'unknown') {
    const { reason = otherwise, words } = MEANINGS_BY_CODE.get(code) ?? {}
    // The platform's message contains this server's address and ids of requests, so only the code is passed on.
    super(reason, `WeCom refused ${command} with code ${code}${words ? `: ${words}` : ''}`, {
      ...(reason === 'rate_limited' && { retry_after_ms: RATE_PAUSE_MS }),
      is_about_text: ABOUT_TEXT.includes(code),
    })
    this.name = 'RefusedCall'
    this.code = code
  }
}

/** True if only a new connection can carry a call again. */
export const isSubscriptionLost = (error: unknown) =>
  error instanceof RefusedCall && error.code === NOT_SUBSCRIBED

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

/**
 * Classifies the error of a command: a refusal by the platform, or an error of the client library. If the platform
 * closes the connection after the latest call, that call may be the reason, so it is not repeated without end.
 */
export function toCallFailure(command: string, error: unknown, isLatest: boolean): unknown {
  if (error instanceof ChannelFailure) return error
  const { errcode, message } = error as { errcode?: unknown; message?: unknown }
  if (typeof errcode === 'number') return new RefusedCall(command, errcode)
  if (/ack timeout/.test(String(message)))
    return new ChannelFailure('timeout', `WeCom did not confirm ${command} in time`)
  if (/exceeds max size/.test(String(message)))
    return new ChannelFailure('rate_limited', `Too many calls of ${command} are waiting for WeCom`, {
      retry_after_ms: RATE_PAUSE_MS,
    })
  // Code 1006 is that of a connection which the network has cut.
  if (isLatest && /^WebSocket connection closed \((?!code: 1006\))/.test(String(message)))
    return new ChannelFailure('unknown', `WeCom closed the connection instead of confirming ${command}`)
  return new ChannelFailure('unreachable', `The connection to WeCom was lost before ${command} was confirmed`)
}

/** Classifies an HTTP status. */
export function toReason(status: number): ChannelFailureReason {
  if (status === 401 || status === 403) return 'forbidden'
  if (status === 404 || status === 410) return 'not_found'
  if (status === 408) return 'timeout'
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
