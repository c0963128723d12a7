import { nullable, objectOf, type Route, rowOf } from '#kernel'
import { MAX_PAGE_ROWS, pageQuery, pageReply } from '#toolbox'
import { MAX_FIELD_CHARS } from './entry.ts'
import { type Cradle, route } from './manifest.ts'

const text = { type: 'string' } as const
const exact = (field: keyof typeof MAX_FIELD_CHARS, description: string) =>
  ({ type: 'string', maxLength: MAX_FIELD_CHARS[field], description }) as const
const second = (description: string) => ({ type: 'integer', minimum: 0, description }) as const

const auditQuery = objectOf({
  since: second('Unix seconds, inclusive'),
  until: second('Unix seconds, inclusive'),
  actor: exact('actor', 'A username'),
  action: exact('action', 'Such as agent.create'),
  target: exact('target', 'The object of the action'),
  limit: { ...pageQuery.limit, default: 100 },
  cursor: {
    type: 'string',
    pattern: '^[1-9]\\d{0,14}$',
    description: 'The id of the last row of the previous page, as in its Link header',
  },
})

const auditRow = {
  title: 'AuditRow',
  ...rowOf({
    id: { ...text, description: 'Rises by one with each row', examples: ['1042'] },
    ts: { type: 'integer', description: 'Unix seconds', examples: [1_767_225_600] },
    actor: {
      ...nullable(text),
      description:
        'A username; for a command, os: and the name of the system user; null if nobody was signed in',
      examples: ['ada'],
    },
    action: { ...text, examples: ['agent.create'] },
    target: {
      ...nullable(text),
      description: 'The object of the action; null if it has none',
      examples: ['01KDVMF00000000000000000AG'],
    },
    payload: {
      description: 'The body of the call without its secrets, long parts cut with …; null if there is none',
      examples: [{ name: 'numbers' }],
    },
    status: {
      type: 'integer',
      description: 'The HTTP status, or the exit code of a command',
      examples: [201],
    },
    ip: { ...nullable(text), description: 'Null for a command', examples: ['203.0.113.7'] },
    request_id: { ...nullable(text), description: 'As in `X-Request-Id`; null for a command' },
    hash: {
      ...text,
      description: 'SHA-256 over the row and the hash of the previous row',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    },
    credential: {
      ...nullable(text),
      description: 'The name of the API key that the call was made with; null without one',
      examples: ['nightly build'],
    },
  }),
} as const

const listRows = route({
  method: 'GET',
  path: '/admin/audit-log',
  operation_id: 'listAuditRows',
  summary: 'List the audit log',
  description:
    'Lists every change by a call or a command and every sign-in, failed ones included, the newest first. Rows are never changed; the hash of each covers the row before it, so that `svc audit --verify` notices a change. Bodies of calls are shown without their secrets.',
  guard: 'admin',
  query: auditQuery,
  response: { 200: { type: 'array', items: auditRow } },
}).handle(async ({ query }, { auditLog }) => {
  const bounded = { ...query, limit: Math.min(query.limit, MAX_PAGE_ROWS) }
  return pageReply(bounded, await auditLog.page(bounded))
})

/** The route of the log. */
export const auditRoutes: Route<Cradle>[] = [listRows]
