import {
  AppError,
  ChannelFailure,
  type ChannelFailureReason,
  indexMeanings,
  PlatformRefusal,
  toPlatformFailure,
} from '#plugin-api'

/** Meanings of QQ's codes, from its lists of common errors and of errors of single calls. */
const MEANINGS = indexMeanings([
  ['invalid_credentials', 'the app ID or the app secret is wrong', [100007, 100016, 11251, 11261, 11275]],
  ['invalid_credentials', 'the access token is not accepted', [11241, 11243, 11244]],
  ['forbidden', 'the bot lacks the permission', [11253, 11262, 11264, 11273, 11274, 11282]],
  ['forbidden', 'the bot is banned or may not use this call', [11254, 11265]],
  ['forbidden', 'the bot may only answer messages here', [40034105, 304046, 304048]],
  ['forbidden', 'the bot is muted', [40054002, 850018]],
  ['forbidden', 'the user does not accept messages from the bot', [40054013, 304031]],
  ['forbidden', 'the content was rejected by moderation', [40034006, 1100101, 1100103]],
  ['forbidden', 'the bot may not send this kind of message', [304004, 304064]],
  ['forbidden', 'the daily limit of files is reached', [40093002]],
  ['not_found', 'the bot is not in this group', [40034101, 40054003, 1100104]],
  ['not_found', 'the user is not a friend of the bot', [40054004, 306009]],
  [
    'rate_limited',
    'too many calls or messages',
    [100001, 20028, 22009, 50002, 40034021, 40034100, 304045, 304049, 304050, 610013, 1100100, 1100308],
  ],
  ['unsupported', 'the message is too long', [40054007, 40054014, 40054018]],
  ['unsupported', 'the message is empty or has invalid content', [50006, 304061]],
  ['unsupported', 'the message may not contain links', [304003, 40034028, 40054010]],
  ['unsupported', 'the message is of a type that is not accepted', [22006, 50059, 304080, 340069, 40034106]],
  [
    'unsupported',
    'the streamed message cannot be continued',
    [40034016, 40034017, 40034018, 40034019, 40034020, 40034022, 40054015],
  ],
  ['unsupported', 'the file is too large', [850031, 304020]],
  ['unsupported', 'this type of file is not accepted', [850019]],
  ['unsupported', 'text that was shown cannot be changed', [40007]],
  [
    'unreachable',
    'QQ had an internal error',
    [
      11242, 11252, 11263, 11281, 50001, 340067, 50055001, 50055002, 50055006, 850026, 850027, 40093001,
      40034004, 40054006, 40054016, 1100300,
    ],
  ],
])

/** Codes that refuse the text of a message. */
const ABOUT_TEXT: readonly number[] = [
  50006, 304003, 304061, 40034006, 40034028, 40054007, 40054010, 40054014, 40054018, 1100101, 1100103,
]

/** Codes of a token that is not accepted, and of QQ's own failed check of it. */
const TOKEN_REFUSALS: readonly number[] = [11241, 11242, 11243, 11244]

/** True if a call may be repeated with a new token. */
export const isTokenRefusal = (error: unknown): boolean =>
  error instanceof PlatformRefusal && (error.status === 401 || TOKEN_REFUSALS.includes(error.code))

const STATUSES: Record<number, ChannelFailureReason> = {
  401: 'invalid_credentials',
  403: 'forbidden',
  404: 'not_found',
  405: 'unsupported',
  408: 'timeout',
  413: 'unsupported',
  429: 'rate_limited',
}

/** Classifies a refusal by its code, else by its status; `said` is QQ's message without secrets. */
export function toRefusal(
  what: string,
  {
    code,
    status,
    said,
    retry_after_ms,
  }: { code: number; status: number; said: string; retry_after_ms?: number },
): PlatformRefusal<number> {
  const meaning = MEANINGS.get(code)
  const reason = meaning?.reason ?? STATUSES[status] ?? (status >= 500 ? 'unreachable' : 'unknown')
  const words = meaning?.words ?? (said || `HTTP status ${status}`)
  return new PlatformRefusal(code, reason, `QQ refused ${what}${code ? ` (${code})` : ''}: ${words}.`, {
    status,
    is_about_text: ABOUT_TEXT.includes(code),
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  })
}

/** Returns the code of a refusal; 0 for any other error. */
export const readCode = (error: unknown): number => (error instanceof PlatformRefusal ? error.code : 0)

/** Classifies the error of a request without an answer; returns the signal's reason if the caller aborted. */
export function toConnectionFailure(error: unknown, signal: AbortSignal): unknown {
  const failure = toPlatformFailure('QQ', error, signal)
  if (!(failure instanceof AppError)) return failure
  return new ChannelFailure('forbidden', 'This address of QQ is in a private network.', { cause: failure })
}
