import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { findErrorCode, findNetworkFailure, readRetryAfter } from '#toolbox'
import { findPause, findReason, isAboutText, MESSAGE_LIMIT_MS } from './refusal-codes.ts'
import type { Answer } from './request.ts'
import { toObject, toText, type WireObject } from './wire-value.ts'

const TOKEN_REFUSALS = new Set([
  'InvalidAuthentication',
  'invalidParameter.token.invalid',
  'token.notExisted',
  '40014',
  '42001',
])

/** Returns DingTalk's code of a failure: a word in the new API, a number in the old one. */
function readCode({ code, sub_code, errcode }: WireObject): string {
  const named = toText(code) || toText(sub_code) || toText(errcode)
  return /^[\w.-]{1,100}$/.test(named) ? named : ''
}

/** True if the access token was refused, so that a new token may help. */
export function isTokenRefusal({ status, body }: Answer): boolean {
  return TOKEN_REFUSALS.has(readCode(body)) || (status === 401 && findReason(readCode(body)) === undefined)
}

/** A refusal with DingTalk's code. */
export class Refusal extends ChannelFailure {
  readonly code: string

  constructor(
    reason: ChannelFailureReason,
    message: string,
    code: string,
    options: { retry_after_ms?: number; is_about_text?: boolean } = {},
  ) {
    super(reason, message, options)
    this.code = code
  }
}

/** True if an error is a refusal with one of these codes. */
export const isRefusal = (error: unknown, codes: ReadonlySet<string>): error is Refusal =>
  error instanceof Refusal && codes.has(error.code)

/** The status of a body that is too long. */
const TOO_LARGE = 413

/** Classifies a refusal. DingTalk's own message is left out because it may quote secrets. */
export function toRefusal(answer: Answer, what: string): Refusal {
  const { status, headers, body } = answer
  const code = readCode(body)
  const message = `DingTalk refused ${what} (${code || `HTTP ${status}`})${describeMissingScopes(body)}.`
  const retry_after_ms =
    findPause(code) ?? (status === 429 ? readRetryAfter(headers) || MESSAGE_LIMIT_MS : undefined)
  if (retry_after_ms !== undefined) return new Refusal('rate_limited', message, code, { retry_after_ms })
  const is_about_text = isAboutText(code) || status === TOO_LARGE
  return new Refusal(classify(answer, code), message, code, { is_about_text })
}

function classify(answer: Answer, code: string): ChannelFailureReason {
  const { status } = answer
  const reason = findReason(code)
  if (reason) return reason
  if (isTokenRefusal(answer)) return 'invalid_credentials'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'not_found'
  if (status === 408) return 'timeout'
  if (status === TOO_LARGE) return 'unsupported'
  // `unknownError` is the one 5xx that a retry does not fix, e.g. a card variable that is missing in its template.
  return status >= 500 && code !== 'unknownError' ? 'unreachable' : 'unknown'
}

/** Returns a hint with the permissions that the app lacks; its owner can request them. */
function describeMissingScopes(body: WireObject): string {
  const { requiredScopes } = toObject(body.accessdenieddetail)
  if (!Array.isArray(requiredScopes)) return ''
  const scopes = requiredScopes.map(toText).filter((scope) => /^[\w.-]{1,100}$/.test(scope))
  return scopes.length > 0 ? `; the app needs the permission ${scopes.slice(0, 5).join(', ')}` : ''
}

/** Classifies an error without an answer. Passes on only its code: errors of sockets may quote secret addresses. */
export function toOutage(error: unknown, until: AbortSignal): unknown {
  if (error instanceof ChannelFailure) return error
  if (until.aborted) {
    const { reason } = until
    if ((reason as Error | undefined)?.name !== 'TimeoutError') return reason
    return new ChannelFailure('timeout', 'DingTalk did not answer in time.')
  }
  const reason = findNetworkFailure(error)?.reason
  if (reason === 'address_not_allowed')
    return new Refusal(
      'forbidden',
      'DingTalk returned an address in a local or private network, to which this server does not connect.',
      'ADDRESS_NOT_ALLOWED',
    )
  if (reason === 'timeout') return new ChannelFailure('timeout', 'DingTalk did not answer in time.')
  const code = findErrorCode(error)
  return new ChannelFailure('unreachable', `DingTalk cannot be reached${code ? ` (${code})` : ''}.`)
}
