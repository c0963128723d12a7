import { AppError } from '#kernel'
import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { type TokenName, WRONG_KIND } from './config.ts'

/** A refusal in Slack's own words, e.g. `channel_not_found`. */
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

/** What the client libraries throw; each kind of error has its own `code`. */
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

/** Says why a call failed that was made with this key. What the answer holds besides its code is never told. */
export function failureOf(error: unknown, token: TokenName): Error {
  if (error instanceof ChannelFailure) return error
  const { code, original, statusCode, retryAfter, data } = error as LibraryError
  switch (code) {
    case 'slack_webapi_platform_error':
      return refusalOf(data, token)
    case 'slack_webapi_rate_limited_error':
      return rateLimit(retryAfter)
    case 'slack_webapi_http_error':
      return new ChannelFailure(
        Number(statusCode) >= 500 ? 'unreachable' : 'unknown',
        `Slack answered with the HTTP status ${statusCode}.`,
      )
  }
  // The library says this of a rate limit that does not tell how long it lasts.
  if ((error as Error)?.message?.startsWith('Retry header')) return rateLimit(undefined)
  return networkFailure(original ?? (error as Error))
}

/** Slack asks to be left alone, for so many seconds if it says so. */
function rateLimit(seconds: number | undefined, code = 'ratelimited'): SlackRefusal {
  const retry_after_ms = seconds === undefined ? undefined : seconds * 1000
  return new SlackRefusal(code, 'rate_limited', 'Slack asks for fewer messages.', {
    ...(retry_after_ms !== undefined && { retry_after_ms }),
  })
}

function refusalOf(data: LibraryError['data'], token: TokenName): Error {
  const code = String(data?.error)
  // The library takes a whole page for a code where the answer is no JSON.
  if (!/^\w{1,64}$/.test(code)) return new ChannelFailure('unknown', 'Slack gave an answer that is no JSON.')
  const reason = REASONS.get(code) ?? 'unknown'
  if (reason === 'rate_limited') return rateLimit(data?.response_metadata?.retryAfter, code)
  return new SlackRefusal(code, reason, sentenceFor(code, reason, token, data?.needed))
}

function sentenceFor(code: string, reason: ChannelFailureReason, token: TokenName, needed: unknown): string {
  if (code === 'not_allowed_token_type') return WRONG_KIND[token]
  if (code === 'missing_scope') return missingScope(token, needed)
  if (reason === 'invalid_credentials') return `Slack does not accept the ${token} (${code}).`
  return `Slack refuses this: ${code}.`
}

/** Names the scope that a key lacks; the app is to be installed again with it. */
export function missingScope(token: TokenName, needed: unknown): string {
  const scope = /^[\w.:, -]{1,200}$/.exec(String(needed))?.[0] ?? 'needed for this'
  return `The ${token} lacks the scope ${scope}. Add it in the settings of the Slack app and install the app again.`
}

/** Sorts what a connection that fails has to say for itself. */
export function networkFailure(error: Error | undefined): Error {
  if (error instanceof AppError || error instanceof ChannelFailure) return error
  const code = codeIn(error)
  if (code.includes('TIMEOUT') || code === 'ETIMEDOUT')
    return new ChannelFailure('timeout', 'Slack does not answer in time.')
  return new ChannelFailure('unreachable', `Slack cannot be reached${code && ` (${code})`}.`)
}

function codeIn(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown }
  if (typeof code === 'string' && /^[A-Z_\d]{1,40}$/.test(code)) return code
  return cause ? codeIn(cause) : ''
}
