import { AppError, type ErrorBody, type ErrorCode, type ErrorForm, type Issue, nullable } from '#plugin-api'

/** The operations of OpenAI's API that clients try and that have a sentence of their own. */
const UNSUPPORTED: readonly [method: RegExp, path: RegExp, code: ErrorCode][] = [
  [/./, /^\/v1\/conversations(\/|$)/, 'CONVERSATIONS_UNSUPPORTED'],
  [/^GET$/, /^\/v1\/responses\/[^/]+\/input_items$/, 'RESPONSE_INPUT_UNSUPPORTED'],
  [/^POST$/, /^\/v1\/responses\/(input_tokens|compact)$/, 'RESPONSE_INPUT_UNSUPPORTED'],
  [/^DELETE$/, /^\/v1\/responses\/[^/]+$/, 'RESPONSE_END_UNSUPPORTED'],
  [/^POST$/, /^\/v1\/responses\/[^/]+\/cancel$/, 'RESPONSE_END_UNSUPPORTED'],
]

/** The fields that the clients of OpenAI's API read besides `code` and `message`. */
export const errorForm: ErrorForm = {
  path: '/v1',
  name: 'OpenAI',
  fields: {
    type: {
      type: 'string',
      description:
        '`invalid_request_error`, `authentication_error`, `permission_error`, `rate_limit_error`, `insufficient_quota` or `server_error`',
    },
    param: {
      ...nullable({ type: 'string' }),
      description: 'The parameter at fault, such as `messages[0].content`',
    },
  },
  describe: (error) => ({ type: typeOf(error), param: paramOf(error) }),
  refuse({ method, path, status }) {
    const [, , code] = UNSUPPORTED.find(([methods, paths]) => methods.test(method) && paths.test(path)) ?? []
    if (code) return new AppError(code)
    return status === 404 ? new AppError('OPERATION_UNSUPPORTED') : undefined
  },
}

function typeOf({ code, status }: { code: string; status: number }): string {
  if (/QUOTA/.test(code)) return 'insufficient_quota'
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

function paramOf({ details }: Pick<ErrorBody, 'details'>): string | null {
  const { parameter, path, issues } = details as { parameter?: string; path?: string; issues?: Issue[] }
  return parameter ?? toParam(path ?? issues?.[0]?.path ?? '')
}

/** Writes a JSON pointer as OpenAI's API does: `/messages/0/content` is `messages[0].content`. */
function toParam(pointer: string): string | null {
  const [first, ...others] = pointer.split('/').slice(1)
  if (!first) return null
  return others.reduce(
    (param, part) => (/^\d+$/.test(part) ? `${param}[${part}]` : `${param}.${part}`),
    first,
  )
}
