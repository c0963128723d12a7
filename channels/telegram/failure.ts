import type { GrammyError } from 'grammy'
import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'

/** What Telegram says in its refusals with status 400, as far as it tells more than that. */
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
  // All methods that are called exist, so it is the bot that does not.
  404: 'invalid_credentials',
  409: 'already_connected',
  413: 'unsupported',
  429: 'rate_limited',
}

/** What the codes of a socket that gave up waiting look like. */
const LATE = /TIMEDOUT|TIMEOUT/

/** What `fetch` says where it knows no code, as of an answer that leads elsewhere. */
const NO_ANSWER = 'fetch failed'

/** Longer than any description that Telegram is known to give. */
const MAX_DESCRIPTION = 300

/** Telegram's own words. They are no `cause`: the message has them already, and logs show both. */
const refusals = new WeakMap<ChannelFailure, string>()

/** Whether Telegram itself refused a call, in words that match. */
export const isRefusal = (error: unknown, pattern: RegExp): boolean =>
  error instanceof ChannelFailure && pattern.test(refusals.get(error) ?? '')

/** Sorts whatever a call of the client library threw. What comes out holds neither the token nor what was sent. */
export function failureOf(error: unknown, token: string): ChannelFailure {
  if (error instanceof ChannelFailure) return error
  const { error: inner, error_code } = error as Partial<GrammyError> & { error?: unknown }
  if (inner instanceof ChannelFailure) return inner
  if (typeof error_code === 'number') return refusalOf(error as GrammyError, token)
  const { name, message } = (inner ?? error) as Error
  const code = codeOf(error) ?? (message === NO_ANSWER ? NO_ANSWER : undefined)
  if (!code) {
    const cause = new Error(`${name}: ${message}`.replaceAll(token, '***'))
    return new ChannelFailure('unknown', 'Telegram gave an answer that cannot be read.', { cause })
  }
  return LATE.test(code)
    ? new ChannelFailure('timeout', `Telegram did not answer in time (${code}).`)
    : new ChannelFailure('unreachable', `Telegram cannot be reached (${code}).`)
}

function refusalOf({ error_code, description, parameters }: GrammyError, token: string): ChannelFailure {
  const words = String(description).replaceAll(token, '***').slice(0, MAX_DESCRIPTION)
  const reason =
    STATUSES[error_code] ??
    (error_code >= 500 ? 'unreachable' : REFUSALS.find(([pattern]) => pattern.test(words))?.[1]) ??
    'unknown'
  const seconds = Number(parameters?.retry_after)
  const failure = new ChannelFailure(reason, `Telegram refused: ${words} (${error_code}).`, {
    retry_after_ms: seconds > 0 ? seconds * 1000 : undefined,
  })
  refusals.set(failure, words)
  return failure
}

/** The code of the socket's or the system's error that lies at the bottom of it. */
function codeOf(error: unknown): string | undefined {
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
