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
    id: text,
    ts: { type: 'integer', description: 'Unix seconds' },
    actor: nullable({
      ...text,
      description:
        'A username; for a command, os: and the name of the system user; null if nobody was signed in',
    }),
    action: text,
    target: nullable(text),
    payload: {
      description: 'The body of the call without its secrets, long parts cut with …; null if there is none',
    },
    status: { type: 'integer', description: 'The HTTP status, or the exit code of a command' },
    ip: nullable(text),
    request_id: nullable(text),
    credential: nullable({ ...text, description: 'The name of the API key that the call was made with' }),
    hash: { ...text, description: 'SHA-256 over the row and the hash of the previous row' },
  }),
} as const

const listRows = route({
  method: 'GET',
  path: '/admin/audit-log',
  operation_id: 'listAuditRows',
  summary: 'List changes and sign-ins, failed ones included, newest first',
  guard: 'admin',
  query: auditQuery,
  response: { 200: { type: 'array', items: auditRow } },
}).handle(async ({ query }, { auditLog }) => {
  const bounded = { ...query, limit: Math.min(query.limit, MAX_PAGE_ROWS) }
  return pageReply(bounded, await auditLog.page(bounded))
})

/** The route of the log. */
export const auditRoutes: Route<Cradle>[] = [listRows]
