import {
  AppError,
  ChannelFailure,
  type ChannelFailureReason,
  indexMeanings,
  isRefusal,
  PlatformRefusal,
  toPlatformFailure,
} from '#plugin-api'

/** The code for a call on a connection whose subscription the platform has lost. */
const NOT_SUBSCRIBED = 846609

/** Meanings of WeCom's codes, from its general list and that of robots; all others are `unknown`. */
const MEANINGS = indexMeanings([
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
])

/** Codes that refuse the content of a message. */
const ABOUT_TEXT: readonly number[] = [40058, 44004, 45002]

/** WeCom states no duration; it allows thirty messages per minute in a conversation. */
const RATE_PAUSE_MS = 2000

/** Creates the failure for a refused command; `otherwise` is the reason for an unknown code. */
function toRefusal(
  command: string,
  code: number,
  otherwise: ChannelFailureReason = 'unknown',
): PlatformRefusal<number> {
  const { reason = otherwise, words } = MEANINGS.get(code) ?? {}
  // The platform's message contains this server's address and ids of requests, so only the code is passed on.
  return new PlatformRefusal(
    code,
    reason,
    `WeCom refused ${command} with code ${code}${words ? `: ${words}` : ''}`,
    {
      ...(reason === 'rate_limited' && { retry_after_ms: RATE_PAUSE_MS }),
      is_about_text: ABOUT_TEXT.includes(code),
    },
  )
}

const LOST_SUBSCRIPTION: ReadonlySet<number> = new Set([NOT_SUBSCRIBED])

/** True if only a new connection can carry a call again. */
export const isSubscriptionLost = (error: unknown) => isRefusal(error, LOST_SUBSCRIPTION)

/** The client library's message for a refused subscription. */
const REFUSED_SUBSCRIPTION = /^Authentication failed: .*\(code: (-?\d+)\)$/s

/** Classifies the error of a socket. */
export function toSocketFailure(error: Error): Error {
  if (error instanceof AppError || error instanceof ChannelFailure) return error
  const refused = REFUSED_SUBSCRIPTION.exec(error.message)
  if (refused) return toRefusal('the robot', Number(refused[1]), 'forbidden')
  const status = Number(/Unexpected server response: (\d+)/.exec(error.message)?.[1] ?? 0)
  if (status) return new ChannelFailure(toReason(status), `WeCom answered with HTTP status ${status}`)
  return toPlatformFailure('WeCom', error) as Error
}

/**
 * Classifies the error of a command: a refusal by the platform, or an error of the client library. If the platform
 * closes the connection after the latest call, that call may be the reason, so it is not repeated without end.
 */
export function toCallFailure(command: string, error: unknown, isLatest: boolean): unknown {
  if (error instanceof ChannelFailure) return error
  const { errcode, message } = error as { errcode?: unknown; message?: unknown }
  if (typeof errcode === 'number') return toRefusal(command, errcode)
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
export const toFetchFailure = (error: unknown, signal: AbortSignal): unknown =>
  toPlatformFailure('WeCom', error, signal)
