import { isObject, type Json, parseLoosely } from '#plugin-api'

/** An error that an upstream reports, in whatever form. */
export interface ErrorBody {
  message: string
  code?: string | number
  type?: string
  /** The HTTP status that it names, if any. */
  status?: number
}

/** The fields of vendors' errors, in the order in which they are looked for. */
const MESSAGES = [
  'message',
  'error_message',
  'error_msg',
  'msg',
  'status_msg',
  'detail',
  'errorMessage',
  'errmsg',
  'ret_msg',
  'text',
  'reason',
]
const CODES = [
  'code',
  'error_code',
  'status_code',
  'http_code',
  'err_code',
  'statusCode',
  'errcode',
  'ret_code',
  'status',
]
const TYPES = ['type', 'error_type', 'object']
const MAX_CHARS = 2000
const MAX_LEVELS = 4

/** Reads the error in a body or an event without an answer; undefined if it does not report one. */
export function readErrorBody(body: unknown): ErrorBody | undefined {
  if (!isObject(body)) return undefined
  const inner = findInner(body)
  if (inner !== undefined) return describe(isObject(inner) ? inner : { message: inner }, body)
  return isError(body) ? describe(body, {}) : undefined
}

/** Returns the words of a body that does not say that they are an error. */
export function readWords(body: unknown): string | undefined {
  const words = toWords(isObject(body) ? findMessage(body) : body, 0)
  return words === '' ? undefined : words
}

/** Finds the error within a body: OpenAI's, Cloudflare's, Hunyuan's, MiniMax', or a gateway's. */
function findInner(body: Json): unknown {
  const { error, errors, Response: wrapped, ErrorMsg, base_resp: outcome, response } = body
  if (Array.isArray(error) && error.length > 0) return error[0]
  if (error && error !== true) return error
  if (Array.isArray(errors) && errors.length > 0) return errors[0]
  if (isObject(wrapped) && wrapped.Error) return lowerNames(wrapped.Error)
  if (ErrorMsg) return lowerNames(ErrorMsg)
  if (isObject(outcome) && isFailure(outcome.status_code)) return outcome
  return isObject(response) && response.error ? response.error : undefined
}

function isError(body: Json): boolean {
  if (body.object === 'error' || body.type === 'error' || body.success === false) return true
  if (body.error === true || body.error_type || body.detail) return true
  return findMessage(body) !== undefined && CODES.some((name) => isFailure(body[name]))
}

/** True for a code that means neither success nor the state of a request. */
const isFailure = (code: unknown) =>
  (typeof code === 'number' || typeof code === 'string') &&
  !/^(0+|2\d\d|ok|success|queued|pending|running|processing|in_progress|)$/i.test(String(code))

function describe(error: Json, outer: Json): ErrorBody {
  const find = (names: readonly string[]) =>
    [error, outer].flatMap((fields) => names.map((name) => fields[name])).find(isScalar)
  const code = find(CODES)
  const type = find(TYPES)
  const status = [error, outer]
    .flatMap((fields) => CODES.map((name) => Number(fields[name])))
    .find((number) => number >= 400 && number <= 599)
  const words = toWords(findMessage(error) ?? findMessage(outer), 0)
  // A gateway puts the words of the vendor behind it beside its own.
  const raw = isObject(error.metadata) ? toWords(error.metadata.raw, 0) : ''
  return {
    message: [words, raw].filter(Boolean).join(': ').slice(0, MAX_CHARS) || 'The upstream reported an error.',
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type: String(type) }),
    ...(status !== undefined && { status }),
  }
}

const findMessage = (fields: Json): unknown =>
  MESSAGES.map((name) => fields[name]).find((value) => value !== undefined && value !== null && value !== '')

/** Puts a message into words: a text, an error that is encoded in it, or a list of invalid fields. */
function toWords(value: unknown, level: number): string {
  if (level > MAX_LEVELS || value === undefined || value === null) return ''
  if (Array.isArray(value))
    return value
      .slice(0, 10)
      .map((item) => toWords(item, level + 1))
      .filter(Boolean)
      .join('; ')
  if (isObject(value)) {
    const words = toWords(value.error ?? findMessage(value), level + 1)
    return Array.isArray(value.loc) ? `${value.loc.slice(0, 20).join('.')}: ${words}` : words
  }
  const text = String(value).trim()
  return text.startsWith('{') ? toWords(parseLoosely(text.slice(0, 2 * MAX_CHARS)), level + 1) || text : text
}

const lowerNames = (fields: unknown): unknown =>
  isObject(fields)
    ? Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]))
    : fields

const isScalar = (value: unknown): value is string | number =>
  typeof value === 'number' || (typeof value === 'string' && value !== '')
