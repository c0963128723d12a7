import {
  ChannelFailure,
  type ChannelFailureReason,
  findErrorCode,
  findNetworkFailure,
  PlatformRefusal,
  readRetryAfter,
  toPlatformFailure,
} from '#plugin-api'

/** The code of a refusal without one of Mattermost, e.g. of a proxy. */
export const FOREIGN = 'foreign'

/** Refusals of the text itself. */
const ABOUT_TEXT = new Set([
  'model.post.is_valid.msg.app_error',
  'model.post.is_valid.message_length.app_error',
])

/** The refusal of an answer to a thread that was deleted. */
export const LOST_THREAD = 'api.post.create_post.root_id.app_error'

const REASONS: Record<string, ChannelFailureReason> = {
  'api.post.create_post.can_not_post_to_deleted.error': 'not_found',
  // The same post is being stored just now.
  'api.post.deduplicate_create_post.pending': 'unreachable',
}

const BY_STATUS: Record<number, ChannelFailureReason> = {
  401: 'invalid_credentials',
  403: 'forbidden',
  404: 'not_found',
  408: 'timeout',
  413: 'unsupported',
  429: 'rate_limited',
  501: 'unsupported',
}

/** Converts an answer that is not 2xx to a failure. */
export function toRefusal(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: { id?: unknown; message?: unknown } | undefined,
): PlatformRefusal<string> {
  const code = typeof body?.id === 'string' && /^[\w.]{1,128}$/.test(body.id) ? body.id : FOREIGN
  const isForeign = code === FOREIGN && status !== 429 && status !== 401
  const reason =
    REASONS[code] ??
    (isForeign ? undefined : BY_STATUS[status]) ??
    (status >= 500 ? 'unreachable' : 'unknown')
  return new PlatformRefusal(code, reason, describe(code, status, body?.message), {
    status,
    ...(reason === 'rate_limited' && { retry_after_ms: readPause(headers) }),
    is_about_text: ABOUT_TEXT.has(code),
  })
}

/** Returns the pause that a rate limit asks for: Mattermost states seconds in a header of its own. */
function readPause(headers: Headers): number {
  const seconds = Number(headers.get('x-ratelimit-reset') ?? Number.NaN)
  return readRetryAfter(headers) ?? (seconds >= 0 && seconds < 3600 ? seconds * 1000 : 1000)
}

function describe(code: string, status: number, message: unknown): string {
  if (status === 401) return 'The Mattermost server does not accept the access token.'
  if (status === 429) return 'The Mattermost server limits the rate of calls.'
  if (status >= 300 && status < 400)
    return `The Mattermost server answered with a redirect (${status}): enter the address to which it leads.`
  if (code === FOREIGN) return `The Mattermost server answered with the HTTP status ${status}.`
  const words = typeof message === 'string' ? toPlainWords(message) : ''
  return `The Mattermost server refused the call: ${code}${words ? ` (${words})` : ''}.`
}

const toPlainWords = (message: string) =>
  message
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .replaceAll(/\b[a-z0-9]{26}\b|\S{60,}/g, '***')
    .trim()
    .slice(0, 200)
    .toWellFormed()

/** Classifies the error of a request or a connection that ended without an answer. */
export function toNetworkFailure(error: unknown, signal?: AbortSignal): unknown {
  if (!(error instanceof ChannelFailure) && findNetworkFailure(error)?.reason === 'insecure')
    return new ChannelFailure(
      'unreachable',
      `The certificate of the Mattermost server is not valid, or it does not speak TLS (${findErrorCode(error)}).`,
    )
  return toPlatformFailure('The Mattermost server', error, signal)
}

/** True if a failure is the server's own refusal, which the same call would get again. */
export const isFinal = (error: unknown): error is PlatformRefusal =>
  error instanceof PlatformRefusal && !['rate_limited', 'unreachable', 'timeout'].includes(error.reason)
