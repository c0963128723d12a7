import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { createDeadline, type Deadline, PlatformRefusal, readRetryAfter, toPlatformFailure } from '#toolbox'
import { type TokenName, WRONG_KIND } from './config.ts'
import { isAboutText, reasonOf } from './error-codes.ts'

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
