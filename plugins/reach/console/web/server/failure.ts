import { formatBytes } from '../i18n/format.ts'
import { t } from '../i18n/words.ts'

/** A field that the server refused, by its JSON pointer in the body: `/config/bot_token`. */
export interface Issue {
  path: string
  /** The rule of JSON Schema that it breaks, or a word of the plugin. */
  rule?: string
  message: string
}

/** A failure in words for a person, with what support needs. */
export interface Failure {
  message: string
  code?: string
  request_id?: string
  issues: Issue[]
  /** The page that shows what fills a workspace. */
  storage?: string
}

/** The texts for the limits on files. */
const FULL = { workspace_bytes: 'common.workspace_full', account_bytes: 'common.account_full' } as const

/** The failure of a form that lacks values, by the JSON pointers of their fields. */
export const lacks = (paths: string[]) => ({
  code: 'VALIDATION_FAILED',
  message: t('forms.incomplete'),
  details: { issues: paths.map((path): Issue => ({ path, rule: 'required', message: '' })) },
})

/** Reads the error of a call: an error of the API, or an unreachable server. */
export function readFailure(error: unknown): Failure {
  const body = isRecord(error) && isRecord(error.error) ? error.error : error
  if (!isRecord(body) || typeof body.code !== 'string') {
    return { message: t(error instanceof TypeError ? 'common.unreachable' : 'common.failed'), issues: [] }
  }
  const { code, message, request_id, details } = body
  const issues = isRecord(details) && Array.isArray(details.issues) ? (details.issues as Issue[]) : []
  return {
    code,
    message: String(message),
    issues,
    ...(request_id ? { request_id: String(request_id) } : {}),
    ...(code === 'LIMIT_REACHED' && isRecord(details) && readFull(details)),
  }
}

function readFull({ limit, max, agent_id }: Record<string, unknown>) {
  if (limit !== 'workspace_bytes' && limit !== 'account_bytes') return undefined
  const query = limit === 'workspace_bytes' ? `?agent=${encodeURIComponent(String(agent_id))}` : ''
  return { message: t(FULL[limit], { max: formatBytes(Number(max)) }), storage: `/storage${query}` }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
