import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import { findErrorCode, findNetworkFailure } from '#toolbox'
import type { Answer } from './request.ts'
import { toObject, toText, type WireObject } from './wire-value.ts'

/** Pause after the limit of calls per second. */
const CALL_LIMIT_MS = 1000
/** Pause after the limit of messages per minute; an earlier retry would prolong the limit. */
const MESSAGE_LIMIT_MS = 10_000

/** Codes of the new and the old API. */
const RATE_LIMITS = new Map<string, number>([
  ['Forbidden.AccessDenied.QpsLimitForAppkeyAndApi', CALL_LIMIT_MS],
  ['Forbidden.AccessDenied.QpsLimitForApi', CALL_LIMIT_MS],
  ['90018', CALL_LIMIT_MS],
  ['130101', MESSAGE_LIMIT_MS],
  ['send.too.fast', MESSAGE_LIMIT_MS],
  ['send.byToken.tooFast', MESSAGE_LIMIT_MS],
  ['too.many.group', MESSAGE_LIMIT_MS],
  ['too.many.people', MESSAGE_LIMIT_MS],
])

const REASONS = new Map<string, ChannelFailureReason>([
  ['invalidClientIdOrSecret', 'invalid_credentials'],
  ['authFailed', 'invalid_credentials'],
  ['40089', 'invalid_credentials'],
  ['send.forbidden', 'forbidden'],
  ['chatbotId.notAllow.sendOTO', 'forbidden'],
  ['invalidParameter.robotCode.auth', 'forbidden'],
  ['resource.unavailable', 'forbidden'],
  ['invalidParameter.robotCode.notExsit', 'not_found'],
  ['invalid.openConversationId', 'not_found'],
  ['staffId.notExisted', 'not_found'],
  ['robot.oto.notExist', 'not_found'],
  ['resource.not.found', 'not_found'],
])

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
  return TOKEN_REFUSALS.has(readCode(body)) || (status === 401 && !REASONS.has(readCode(body)))
}

/** A refusal with DingTalk's code. */
export class Refusal extends ChannelFailure {
  readonly code: string

  constructor(reason: ChannelFailureReason, message: string, code: string, retry_after_ms?: number) {
    super(reason, message, retry_after_ms === undefined ? {} : { retry_after_ms })
    this.code = code
  }
}

/** Classifies a refusal. DingTalk's own message is left out because it may quote secrets. */
export function toRefusal(answer: Answer, what: string): Refusal {
  const { status, headers, body } = answer
  const code = readCode(body)
  const message = `DingTalk refused ${what} (${code || `HTTP ${status}`})${describeMissingScopes(body)}.`
  const wait =
    RATE_LIMITS.get(code) ?? (status === 429 ? readSeconds(headers) * 1000 || MESSAGE_LIMIT_MS : undefined)
  const reason = wait === undefined ? findReason(answer, code) : 'rate_limited'
  return new Refusal(reason, message, code, wait)
}

function findReason(answer: Answer, code: string): ChannelFailureReason {
  const { status } = answer
  const known = REASONS.get(code)
  if (known) return known
  if (isTokenRefusal(answer)) return 'invalid_credentials'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'not_found'
  // `unknownError` is the one 5xx that a retry does not fix, e.g. a card variable that is missing in its template.
  return status >= 500 && code !== 'unknownError' ? 'unreachable' : 'unknown'
}

const readSeconds = (headers: Headers) => Number(headers.get('retry-after')) || 0

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
