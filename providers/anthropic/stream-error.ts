/** The error of an event, as the client library reads it. */
export interface StreamError {
  type: string
  message: string
}

type Fields = Record<string, unknown>

const TYPES_BY_STATUS: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  500: 'api_error',
  502: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** The types that an error's own type, code and words suggest; the first that fits is taken. */
const TYPES_BY_WORDS: readonly (readonly [RegExp, string])[] = [
  [/rate.?limit|too many requests|per minute|频率|速率|并发/i, 'rate_limit_error'],
  [/overload|busy|unavailable|繁忙/i, 'overloaded_error'],
  [/time[d_ -]*out/i, 'timeout_error'],
  [/internal|server.?error/i, 'api_error'],
  [
    /model.*(?:not.?(?:Found|exist)|unknown|does not exist)|(?:no such|unknown) model|NotFound|模型不存在/i,
    'not_found_error',
  ],
  [/authenti|unauthor|invalid.{0,8}key|forbidden|permission|api.?key/i, 'authentication_error'],
  [
    /invalid|bad.?request|not (?:supported|allowed)|unsupported|too (?:long|large)|exceed|required|must|context|sensitive|敏感/i,
    'invalid_request_error',
  ],
]

/** Types of the Messages API, which all end with this. */
const isOwnType = (type: string) => /_error$|^request_too_large$/.test(type)

/** The events of the Messages API. */
const OWN_EVENT = /^(?:message|content_block)/

/** Finds the error in an event or a body, in the forms of the vendors that imitate the Messages API. */
export function findStreamError(name: string, event: Fields): StreamError | undefined {
  const base = isObject(event.base_resp) && event.base_resp.status_code ? event.base_resp : undefined
  const type = String(event.type ?? name)
  const isNamed = name === 'error' || type === 'error' || event.object === 'error'
  // An unknown event may have a message, or the error of a tool.
  if (!isNamed && type !== '' && !OWN_EVENT.test(type)) return undefined
  const isError =
    isNamed ||
    (isObject(event.error) ? Object.keys(event.error).length > 0 : Boolean(event.error)) ||
    [event.error_message, event.error_type, event.error_msg].some((text) => typeof text === 'string') ||
    (type === '' && typeof (event.detail ?? event.message ?? event.msg) === 'string')
  if (!base && !isError) return undefined

  const inner = isObject(event.error) ? event.error : {}
  const message = [
    inner.message,
    event.error,
    event.message,
    event.error_message,
    event.error_msg,
    base?.status_msg,
    event.detail,
    event.msg,
  ].find((text) => typeof text === 'string' && text !== '') as string | undefined
  const errorType = [inner.type, event.error_type, event.type].find(
    (text): text is string => typeof text === 'string' && text !== 'error',
  )
  const code = [inner.code, inner.http_code, inner.status, event.code, event.status, event.status_code].find(
    (value) => value !== undefined && value !== null,
  )
  const words = message ?? 'The upstream reported an error.'
  return { type: chooseType(errorType ?? '', code, words), message: words }
}

function chooseType(type: string, code: unknown, words: string): string {
  if (isOwnType(type) && type !== 'api_error') return type
  const byStatus = TYPES_BY_STATUS[Number(code)]
  if (byStatus) return byStatus
  if (type === 'api_error') return type
  return (
    TYPES_BY_WORDS.find(([pattern]) => pattern.test(`${type} ${code ?? ''} ${words}`))?.[1] ?? 'api_error'
  )
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null
