import {
  ChannelFailure,
  type ChannelFailureReason,
  createDeadline,
  type Deadline,
  indexReasons,
  PlatformRefusal,
  readRetryAfter,
  toPlatformFailure,
} from '#plugin-api'
import { type TokenName, WRONG_KIND } from './config.ts'

/** Slack's error codes by their reason. All others are unknown. */
const REASONS = indexReasons({
  invalid_credentials:
    'not_authed invalid_auth account_inactive user_removed_from_team team_disabled token_revoked token_expired not_allowed_token_type'.split(
      ' ',
    ),
  forbidden:
    'missing_scope no_permission access_denied accesslimited ekm_access_denied restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel restricted_action_non_threadable_channel restricted_action_thread_locked thread_locked cannot_reply_to_message not_in_channel user_not_in_channel is_archived is_inactive channel_is_frozen posting_to_general_channel_denied messages_tab_disabled enterprise_is_restricted team_access_not_granted org_login_required two_factor_setup_required cant_update_message cannot_update_message edit_window_closed operation_not_allowed user_is_bot user_is_restricted user_disabled cannot_dm_bot file_uploads_disabled file_uploads_except_images_disabled slack_connect_file_upload_sharing_blocked slack_connect_file_link_sharing_blocked slack_connect_canvas_sharing_blocked slack_connect_lists_sharing_blocked slack_connect_clip_sharing_blocked slack_connect_blocked_file_type'.split(
      ' ',
    ),
  not_found:
    'channel_not_found duplicate_channel_not_found invalid_channel team_not_found message_not_found thread_not_found invalid_thread_ts file_not_found files_not_found file_deleted user_not_found users_not_found'.split(
      ' ',
    ),
  rate_limited: 'ratelimited rate_limited message_limit_exceeded'.split(' '),
  unreachable: 'internal_error fatal_error service_unavailable team_added_to_org file_update_failed'.split(
    ' ',
  ),
  timeout: ['request_timeout'],
  unsupported:
    'msg_too_long msg_blocks_too_long invalid_blocks invalid_blocks_format no_text file_type_not_allowed file_upload_size_restricted storage_limit_reached blocked_file_type unknown_method method_deprecated deprecated_endpoint method_not_supported_for_channel_type upgrade_required'.split(
      ' ',
    ),
})

/** Returns the reason for an error code. */
const reasonOf = (code: string): ChannelFailureReason => REASONS.get(code) ?? 'unknown'

/** Codes for a text that Slack cannot render. */
const REFUSED_MARKUP = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long'])

/** True if Slack refused the text itself: it is too long, empty or malformed. */
const isAboutText = (code: string): boolean =>
  REFUSED_MARKUP.has(code) || code === 'msg_too_long' || code === 'no_text'

/** True if the same text may be accepted without markup. */
export const isAboutMarkup = (code: string): boolean =>
  REFUSED_MARKUP.has(code) || code === 'invalid_arguments'

/** Codes for a thread that does not exist or takes no replies; its channel may take the message. */
const LOST_THREAD = new Set([
  'thread_not_found',
  'invalid_thread_ts',
  'cannot_reply_to_message',
  'restricted_action_non_threadable_channel',
])

/** True if only the thread of a message was refused. */
export const isAboutThread = (code: string): boolean => LOST_THREAD.has(code)

/** An error of the client libraries; each kind has its own `code`. */
interface LibraryError {
  code?: string
  message: string
  name: string
  cause?: unknown
  original?: Error
  statusCode?: number
  retryAfter?: number
  data?: {
    error?: unknown
    needed?: unknown
    response_metadata?: { retryAfter?: number; messages?: unknown }
  }
}

/** Classifies the failure of a call with this token. Passes on only the code of an answer. */
export function toFailure(error: unknown, token: TokenName): Error {
  if (error instanceof ChannelFailure) return error
  const { code, original, statusCode, retryAfter, data } = error as LibraryError
  switch (code) {
    case 'slack_webapi_platform_error':
      return toRefusal(data, token)
    case 'slack_webapi_rate_limited_error':
      return toRateLimit(retryAfter)
    case 'slack_webapi_http_error':
      return new ChannelFailure(
        Number(statusCode) >= 500 ? 'unreachable' : 'unknown',
        `Slack answered with the HTTP status ${statusCode}.`,
      )
  }
  // The library's message for a rate limit without a duration.
  if ((error as Error)?.message?.startsWith('Retry header')) return toRateLimit(undefined)
  return toNetworkFailure(original ?? error)
}

/** Creates the failure for a rate limit, with its duration if known. */
function toRateLimit(seconds: number | undefined, code = 'ratelimited'): PlatformRefusal<string> {
  const retry_after_ms = seconds === undefined ? undefined : seconds * 1000
  return new PlatformRefusal(code, 'rate_limited', 'Slack limits the rate of messages.', {
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  })
}

function toRefusal(data: LibraryError['data'], token: TokenName): Error {
  const code = String(data?.error)
  // If the answer is not JSON, the library passes the whole page as the code.
  if (!/^\w{1,64}$/.test(code)) return new ChannelFailure('unknown', 'Slack answered with invalid JSON.')
  const reason = reasonOf(code)
  if (reason === 'rate_limited') return toRateLimit(data?.response_metadata?.retryAfter, code)
  return new PlatformRefusal(code, reason, toSentence(code, reason, token, data), {
    is_about_text: isAboutText(code),
  })
}

function toSentence(
  code: string,
  reason: ChannelFailureReason,
  token: TokenName,
  data: LibraryError['data'],
): string {
  if (code === 'not_allowed_token_type') return WRONG_KIND[token]
  if (code === 'missing_scope') return explainMissingScope(token, data?.needed)
  if (reason === 'invalid_credentials') return `Slack does not accept the ${token} (${code}).`
  const words = readWords(data?.response_metadata?.messages)
  return `Slack refused the call: ${code}${words ? ` (${words})` : ''}.`
}

/** Returns Slack's sentence about a refused field; undefined if it may contain more than words. */
function readWords(messages: unknown): string | undefined {
  const [sentence] = Array.isArray(messages) ? messages : []
  const isPlain = typeof sentence === 'string' && /^(?!.*\S{60})[\x20-\x7e]{1,200}$/.test(sentence)
  return isPlain ? withoutTokens(sentence.replace('[ERROR] ', '')) : undefined
}

/** Masks tokens of any kind, which a program in front of Slack may repeat. */
const withoutTokens = (words: string) => words.replace(/\bx(?:ox[a-z]|app)-[\w-]+/gi, '***')

/** Explains which scope a token lacks and how to add it. */
export function explainMissingScope(token: TokenName, needed: unknown): string {
  const scope = withoutTokens(/^[\w.:, -]{1,200}$/.exec(String(needed))?.[0] ?? 'needed for this')
  return `The ${token} lacks the scope ${scope}. Add it in the settings of the Slack app and install the app again.`
}

/** Classifies the error of a connection. */
export const toNetworkFailure = (error: unknown, signal?: AbortSignal): Error =>
  toPlatformFailure('Slack', error, signal) as Error

/** Starts the time limit for an answer of Slack. */
export const startDeadline = (signal: AbortSignal, milliseconds: number): Deadline =>
  createDeadline([signal], { milliseconds })

/** Time limit for transferring a file. */
export const TRANSFER_MS = 120_000

/** Creates the failure for the status of a server of files. */
export function toStatusFailure({ status, headers }: Response): ChannelFailure {
  return new ChannelFailure(toReason(status), `Slack answered with the HTTP status ${status}.`, {
    retry_after_ms: status === 429 ? readRetryAfter(headers) : undefined,
  })
}

function toReason(status: number): ChannelFailureReason {
  if (status === 429) return 'rate_limited'
  if (status === 413) return 'unsupported'
  return status >= 500 ? 'unreachable' : 'unknown'
}
