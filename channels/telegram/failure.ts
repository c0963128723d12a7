import type { GrammyError } from 'grammy'
import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { readNetworkFailure } from '#toolbox'

/** Descriptions of refusals with status 400 that state a reason. */
const REFUSALS: [pattern: RegExp, reason: ChannelFailureReason][] = [
  [/not found|upgraded to a supergroup|wrong file_id|PEER_ID_INVALID/i, 'not_found'],
  [
    /not enough rights|have no rights|WRITE_FORBIDDEN|TOPIC_CLOSED|CHAT_RESTRICTED|SEND_\w+_FORBIDDEN/i,
    'forbidden',
  ],
  [/file is too big|FILE_PARTS_INVALID/i, 'unsupported'],
]

const STATUSES: Record<number, ChannelFailureReason> = {
  401: 'invalid_credentials',
  403: 'forbidden',
  // All called methods exist, so the bot does not.
  404: 'invalid_credentials',
  409: 'already_connected',
  413: 'unsupported',
  429: 'rate_limited',
}

/** The message of `fetch` for errors without a code, e.g. an unexpected redirect. */
const FETCH_FAILED = 'fetch failed'

/** Longer than the known descriptions of Telegram. */
const MAX_DESCRIPTION = 300

/** Telegram's descriptions. They are not a `cause`: the message contains them, and logs would show both. */
const refusals = new WeakMap<ChannelFailure, string>()

/** True if Telegram refused a call with a matching description. */
export const isRefusal = (error: unknown, pattern: RegExp): boolean =>
  error instanceof ChannelFailure && pattern.test(refusals.get(error) ?? '')

/** Classifies an error of the client library. The result contains neither the token nor sent content. */
export function toFailure(error: unknown, token: string): ChannelFailure {
  if (error instanceof ChannelFailure) return error
  const { error: inner, error_code } = error as Partial<GrammyError> & { error?: unknown }
  if (inner instanceof ChannelFailure) return inner
  if (typeof error_code === 'number') return toRefusal(error as GrammyError, token)
  const { name, message } = (inner ?? error) as Error
  const code = readCode(error) ?? (message === FETCH_FAILED ? FETCH_FAILED : undefined)
  if (!code) {
    const cause = new Error(`${name}: ${message}`.replaceAll(token, '***'))
    return new ChannelFailure('unknown', 'Telegram sent an unreadable answer.', { cause })
  }
  return readNetworkFailure({ code })?.reason === 'timeout'
    ? new ChannelFailure('timeout', `Telegram did not answer in time (${code}).`)
    : new ChannelFailure('unreachable', `Telegram cannot be reached (${code}).`)
}

function toRefusal({ error_code, description, parameters }: GrammyError, token: string): ChannelFailure {
  const words = String(description).replaceAll(token, '***').slice(0, MAX_DESCRIPTION)
  const reason =
    STATUSES[error_code] ??
    (error_code >= 500 ? 'unreachable' : REFUSALS.find(([pattern]) => pattern.test(words))?.[1]) ??
    'unknown'
  const seconds = Number(parameters?.retry_after)
  const failure = new ChannelFailure(reason, `Telegram refused the call: ${words} (${error_code}).`, {
    retry_after_ms: seconds > 0 ? seconds * 1000 : undefined,
  })
  refusals.set(failure, words)
  return failure
}

/** Returns the code of the innermost error, that of the socket or the system. */
function readCode(error: unknown): string | undefined {
  let found: string | undefined
  for (
    let at = error as { code?: unknown; cause?: unknown; error?: unknown } | undefined, n = 0;
    at && n < 5;
    n += 1
  ) {
    if (typeof at.code === 'string') found = at.code
    at = (at.error ?? at.cause) as typeof at
  }
  return found
}
