import { AppError } from '#kernel'
import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { createDeadline, type Deadline, findErrorCode, findNetworkFailure } from '#toolbox'
import { type TokenName, WRONG_KIND } from './config.ts'

/** A refusal with Slack's code, e.g. `channel_not_found`. */
export class SlackRefusal extends ChannelFailure {
  readonly code: string

  constructor(
    code: string,
    reason: ChannelFailureReason,
    message: string,
    options?: { retry_after_ms?: number },
  ) {
    super(reason, message, options)
    this.name = 'SlackRefusal'
    this.code = code
  }
}

const CODES: Partial<Record<ChannelFailureReason, string>> = {
  invalid_credentials:
    'not_authed invalid_auth account_inactive user_removed_from_team team_disabled token_revoked token_expired not_allowed_token_type',
  forbidden:
    'missing_scope no_permission access_denied accesslimited ekm_access_denied restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel restricted_action_non_threadable_channel not_in_channel user_not_in_channel is_archived messages_tab_disabled enterprise_is_restricted team_access_not_granted org_login_required two_factor_setup_required cant_update_message edit_window_closed',
  not_found:
    'channel_not_found message_not_found thread_not_found invalid_thread_ts file_not_found file_deleted user_not_found',
  rate_limited: 'ratelimited rate_limited message_limit_exceeded',
  unreachable: 'internal_error fatal_error service_unavailable team_added_to_org',
  timeout: 'request_timeout',
}

const REASONS = new Map(
  Object.entries(CODES).flatMap(([reason, codes]) =>
    codes.split(' ').map((code) => [code, reason as ChannelFailureReason] as const),
  ),
)

/** An error of the client libraries; each kind has its own `code`. */
interface LibraryError {
  code?: string
  message: string
  name: string
  cause?: unknown
  original?: Error
  statusCode?: number
  retryAfter?: number
  data?: { error?: unknown; needed?: unknown; response_metadata?: { retryAfter?: number } }
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
  return toNetworkFailure(original ?? (error as Error))
}

/** Creates the failure for a rate limit, with its duration if known. */
function toRateLimit(seconds: number | undefined, code = 'ratelimited'): SlackRefusal {
  const retry_after_ms = seconds === undefined ? undefined : seconds * 1000
  return new SlackRefusal(code, 'rate_limited', 'Slack limits the rate of messages.', {
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  })
}

function toRefusal(data: LibraryError['data'], token: TokenName): Error {
  const code = String(data?.error)
  // If the answer is not JSON, the library passes the whole page as the code.
  if (!/^\w{1,64}$/.test(code)) return new ChannelFailure('unknown', 'Slack answered with invalid JSON.')
  const reason = REASONS.get(code) ?? 'unknown'
  if (reason === 'rate_limited') return toRateLimit(data?.response_metadata?.retryAfter, code)
  return new SlackRefusal(code, reason, toSentence(code, reason, token, data?.needed))
}

function toSentence(code: string, reason: ChannelFailureReason, token: TokenName, needed: unknown): string {
  if (code === 'not_allowed_token_type') return WRONG_KIND[token]
  if (code === 'missing_scope') return explainMissingScope(token, needed)
  if (reason === 'invalid_credentials') return `Slack does not accept the ${token} (${code}).`
  return `Slack refused the call: ${code}.`
}

/** Explains which scope a token lacks and how to add it. */
export function explainMissingScope(token: TokenName, needed: unknown): string {
  const scope = /^[\w.:, -]{1,200}$/.exec(String(needed))?.[0] ?? 'needed for this'
  return `The ${token} lacks the scope ${scope}. Add it in the settings of the Slack app and install the app again.`
}

/** Classifies the error of a connection. */
export function toNetworkFailure(error: Error | undefined): Error {
  if (error instanceof AppError || error instanceof ChannelFailure) return error
  if (findNetworkFailure(error)?.reason === 'timeout')
    return new ChannelFailure('timeout', 'Slack did not answer in time.')
  const code = findErrorCode(error)
  return new ChannelFailure('unreachable', `Slack cannot be reached${code ? ` (${code})` : ''}.`)
}

/** Starts the time limit for an answer of Slack. */
export const startDeadline = (signal: AbortSignal, milliseconds: number): Deadline =>
  createDeadline([signal], {
    milliseconds,
    reason: () => new ChannelFailure('timeout', 'Slack did not answer in time.'),
  })
