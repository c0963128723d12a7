import {
  ChannelFailure,
  type ChannelFailureReason,
  findErrorCode,
  findNetworkFailure,
  indexReasons,
  PlatformRefusal,
  readRetryAfter,
  toPlatformFailure,
} from '#plugin-api'

/** The code of a refusal without one of Matrix, e.g. of a proxy. */
const FOREIGN = 'FOREIGN'

const REASONS = indexReasons<string>({
  invalid_credentials: ['M_UNKNOWN_TOKEN', 'M_MISSING_TOKEN', 'M_USER_DEACTIVATED'],
  forbidden: [
    'M_FORBIDDEN',
    'M_USER_LOCKED',
    'M_USER_SUSPENDED',
    'M_GUEST_ACCESS_FORBIDDEN',
    'M_CONSENT_NOT_GIVEN',
    'M_RESOURCE_LIMIT_EXCEEDED',
    'M_UNSUPPORTED_ROOM_VERSION',
    'M_INCOMPATIBLE_ROOM_VERSION',
  ],
  not_found: ['M_NOT_FOUND'],
  rate_limited: ['M_LIMIT_EXCEEDED'],
  unsupported: ['M_TOO_LARGE', 'M_UNRECOGNIZED'],
  timeout: ['M_NOT_YET_UPLOADED'],
})

/** The body of a refusal. */
export interface Refusal {
  errcode?: unknown
  error?: unknown
  retry_after_ms?: unknown
}

/** Converts an answer that is not 2xx to a failure. */
export function toRefusal(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: Refusal | undefined,
): PlatformRefusal<string> {
  const code =
    typeof body?.errcode === 'string' && /^[\w.]{1,64}$/.test(body.errcode) ? body.errcode : FOREIGN
  const reason = REASONS.get(code) ?? reasonOf(status)
  const pause = body?.retry_after_ms
  const retry_after_ms = typeof pause === 'number' && pause >= 0 ? Math.ceil(pause) : readRetryAfter(headers)
  return new PlatformRefusal(code, reason, describe(code, reason, status, body?.error), {
    status,
    ...(reason === 'rate_limited' && retry_after_ms !== undefined && { retry_after_ms }),
    is_about_text: code === 'M_TOO_LARGE',
  })
}

function reasonOf(status: number): ChannelFailureReason {
  if (status === 429) return 'rate_limited'
  if (status === 401) return 'invalid_credentials'
  if (status === 408) return 'timeout'
  if (status === 413) return 'unsupported'
  return status >= 500 ? 'unreachable' : 'unknown'
}

function describe(code: string, reason: ChannelFailureReason, status: number, error: unknown): string {
  if (status >= 300 && status < 400)
    return `The homeserver answered with a redirect (${status}): enter the address to which it leads.`
  if (code === FOREIGN) return `The homeserver answered with the HTTP status ${status}.`
  if (reason === 'rate_limited') return 'The homeserver limits the rate of messages.'
  if (code === 'M_USER_DEACTIVATED') return 'The account of the bot is deactivated.'
  if (reason === 'invalid_credentials') return `The homeserver does not accept the access token (${code}).`
  const words = typeof error === 'string' ? toPlainWords(error) : ''
  return `The homeserver refused the call: ${code}${words ? ` (${words})` : ''}.`
}

/** Returns the first words of a sentence of the homeserver, without what could be a token. */
const toPlainWords = (error: string) =>
  error
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(/\S{60,}/g, '***')
    .trim()
    .slice(0, 200)
    .toWellFormed()

/** Classifies the error of a request that ended without an answer. */
export function toNetworkFailure(error: unknown, signal?: AbortSignal): unknown {
  if (!(error instanceof ChannelFailure) && findNetworkFailure(error)?.reason === 'insecure')
    return new ChannelFailure(
      'unreachable',
      `The certificate of the homeserver is not valid, or it does not speak TLS (${findErrorCode(error)}).`,
    )
  return toPlatformFailure('The homeserver', error, signal)
}

/** True for a refusal that another attempt may overcome. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ChannelFailure && ['rate_limited', 'unreachable', 'timeout'].includes(error.reason)

/** True if a failure is the homeserver's own refusal, which the same call would get again. */
export const isFinal = (error: unknown): error is PlatformRefusal =>
  error instanceof PlatformRefusal && !isPassing(error)
