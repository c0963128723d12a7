import {
  type ChannelFailureReason,
  findNetworkFailure,
  type Json,
  PlatformRefusal,
  readRetryAfter,
  toObject,
  toPlatformFailure,
  toScalarText,
} from '#plugin-api'
import { findPause, findReason, isAboutText, MESSAGE_LIMIT_MS } from './refusal-codes.ts'
import type { Answer } from './request.ts'

const TOKEN_REFUSALS = new Set([
  'InvalidAuthentication',
  'invalidParameter.token.invalid',
  'token.notExisted',
  '40014',
  '42001',
])

/** Returns DingTalk's code of a failure: a word in the new API, a number in the old one. */
function readCode({ code, sub_code, errcode }: Json): string {
  const named = toScalarText(code) || toScalarText(sub_code) || toScalarText(errcode)
  return /^[\w.-]{1,100}$/.test(named) ? named : ''
}

/** True if the access token was refused, so that a new token may help. */
export function isTokenRefusal({ status, body }: Answer): boolean {
  return TOKEN_REFUSALS.has(readCode(body)) || (status === 401 && findReason(readCode(body)) === undefined)
}

/** The status of a body that is too long. */
const TOO_LARGE = 413

/** Classifies a refusal. DingTalk's own message is left out because it may quote secrets. */
export function toRefusal(answer: Answer, what: string): PlatformRefusal<string> {
  const { status, headers, body } = answer
  const code = readCode(body)
  const message = `DingTalk refused ${what} (${code || `HTTP ${status}`})${describeMissingScopes(body)}.`
  const retry_after_ms =
    findPause(code) ?? (status === 429 ? readRetryAfter(headers) || MESSAGE_LIMIT_MS : undefined)
  if (retry_after_ms !== undefined)
    return new PlatformRefusal(code, 'rate_limited', message, { retry_after_ms })
  const is_about_text = isAboutText(code) || status === TOO_LARGE
  return new PlatformRefusal(code, classify(answer, code), message, { is_about_text })
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
function describeMissingScopes(body: Json): string {
  const { requiredScopes } = toObject(body.accessdenieddetail)
  if (!Array.isArray(requiredScopes)) return ''
  const scopes = requiredScopes.map(toScalarText).filter((scope) => /^[\w.-]{1,100}$/.test(scope))
  return scopes.length > 0 ? `; the app needs the permission ${scopes.slice(0, 5).join(', ')}` : ''
}

/** Classifies an error without an answer. Passes on only its code: errors of sockets may quote secret addresses. */
export function toOutage(error: unknown, until: AbortSignal): unknown {
  if (!until.aborted && findNetworkFailure(error)?.reason === 'address_not_allowed')
    return new PlatformRefusal(
      'ADDRESS_NOT_ALLOWED',
      'forbidden',
      'DingTalk returned an address in a local or private network, to which this server does not connect.',
    )
  return toPlatformFailure('DingTalk', error, until)
}
