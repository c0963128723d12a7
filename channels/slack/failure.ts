import { AppError } from '#kernel'
import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { createDeadline, type Deadline, findErrorCode, findNetworkFailure } from '#toolbox'
import { type TokenName, WRONG_KIND } from './config.ts'
import { isAboutText, reasonOf } from './error-codes.ts'

/** A refusal with Slack's code, e.g. `channel_not_found`. */
export class SlackRefusal extends ChannelFailure {
  readonly code: string

  constructor(
    code: string,
    reason: ChannelFailureReason,
    message: string,
    options?: { retry_after_ms?: number; is_about_text?: boolean },
  ) {
    super(reason, message, options)
    this.code = code
  }
}

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
  const reason = reasonOf(code)
  if (reason === 'rate_limited') return toRateLimit(data?.response_metadata?.retryAfter, code)
  return new SlackRefusal(code, reason, toSentence(code, reason, token, data), {
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
