import { ChannelFailure, type ChannelFailureReason } from '#plugin-api'
import type { Answer } from './request.ts'
import { objectOf, textOf, type WireObject } from './wire-value.ts'

/** The limit of calls a second counts for one second; the codes are those of the new and of the old API. */
const BRIEFLY = 1000
/** The limit of messages counts for a minute; asking again earlier than this only prolongs it. */
const LONGER = 10_000

const RATE_LIMITS = new Map<string, number>([
  ['Forbidden.AccessDenied.QpsLimitForAppkeyAndApi', BRIEFLY],
  ['Forbidden.AccessDenied.QpsLimitForApi', BRIEFLY],
  ['90018', BRIEFLY],
  ['130101', LONGER],
  ['send.too.fast', LONGER],
  ['send.byToken.tooFast', LONGER],
  ['too.many.group', LONGER],
  ['too.many.people', LONGER],
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

/** What DingTalk calls a failure: a word in the new API, a number in the old one. */
export function codeOf({ code, sub_code, errcode }: WireObject): string {
  const named = textOf(code) || textOf(sub_code) || textOf(errcode)
  return /^[\w.-]{1,100}$/.test(named) ? named : ''
}

/** Whether it is the access token that was refused, which another one may mend. */
export function isTokenRefusal({ status, body }: Answer): boolean {
  return TOKEN_REFUSALS.has(codeOf(body)) || (status === 401 && !REASONS.has(codeOf(body)))
}

/** A refusal with what DingTalk calls it. */
export class Refusal extends ChannelFailure {
  readonly code: string

  constructor(reason: ChannelFailureReason, message: string, code: string, retry_after_ms?: number) {
    super(reason, message, retry_after_ms === undefined ? {} : { retry_after_ms })
    this.code = code
  }
}

/** Says why DingTalk has refused something; its own words are left out, as nobody knows what they quote. */
export function refusalOf(answer: Answer, what: string): Refusal {
  const { status, headers, body } = answer
  const code = codeOf(body)
  const message = `DingTalk refuses ${what} (${code || `HTTP ${status}`})${scopesIn(body)}.`
  const wait = RATE_LIMITS.get(code) ?? (status === 429 ? secondsIn(headers) * 1000 || LONGER : undefined)
  const reason = wait === undefined ? reasonOf(answer, code) : 'rate_limited'
  return new Refusal(reason, message, code, wait)
}

function reasonOf(answer: Answer, code: string): ChannelFailureReason {
  const { status } = answer
  const known = REASONS.get(code)
  if (known) return known
  if (isTokenRefusal(answer)) return 'invalid_credentials'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'not_found'
  // The one fault that trying again does not mend, such as a card's variable that is not in its template.
  return status >= 500 && code !== 'unknownError' ? 'unreachable' : 'unknown'
}

const secondsIn = (headers: Headers) => Number(headers.get('retry-after')) || 0

/** The permissions that the app lacks, which its owner can apply for. */
function scopesIn(body: WireObject): string {
  const { requiredScopes } = objectOf(body.accessdenieddetail)
  if (!Array.isArray(requiredScopes)) return ''
  const scopes = requiredScopes.map(textOf).filter((scope) => /^[\w.-]{1,100}$/.test(scope))
  return scopes.length > 0 ? `; the app needs the permission ${scopes.slice(0, 5).join(', ')}` : ''
}

/** Says why an answer never came. Errors of sockets may quote addresses that are secrets, so only their code is told. */
export function outageOf(error: unknown, until: AbortSignal): unknown {
  if (error instanceof ChannelFailure) return error
  if (until.aborted) {
    const { reason } = until
    if ((reason as Error | undefined)?.name !== 'TimeoutError') return reason
    return new ChannelFailure('timeout', 'DingTalk has not answered in time.')
  }
  const code = systemCodeOf(error)
  if (code === 'ADDRESS_NOT_ALLOWED')
    return new Refusal(
      'forbidden',
      'DingTalk names an address in a local or private network, which this server does not connect to.',
      code,
    )
  if (code === 'ETIMEDOUT' || code === 'UND_ERR_CONNECT_TIMEOUT')
    return new ChannelFailure('timeout', 'DingTalk has not answered in time.')
  return new ChannelFailure('unreachable', `DingTalk cannot be reached${code && ` (${code})`}.`)
}

function systemCodeOf(error: unknown): string {
  const { code, cause } = objectOf(error) as { code?: unknown; cause?: unknown }
  const own = textOf(code) || textOf(objectOf(cause).code)
  return /^[A-Z_]{1,40}$/.test(own) ? own : ''
}
