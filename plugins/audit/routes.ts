import { type Route, reply, route } from '#kernel'
import { auditQuery, auditRow } from './schemas.ts'

/** The most rows of one page. */
const MOST = 200

const listRows = route({
  method: 'GET',
  path: '/admin/audit-log',
  summary: 'List who has changed what, and who has signed in or tried to, newest first',
  guard: 'admin',
  query: auditQuery,
  response: { 200: { type: 'array', items: auditRow } },
}).handle(async ({ query }, { auditLog }) => {
  const limit = Math.min(query.limit, MOST)
  const { rows, has_more } = await auditLog.page({ ...query, limit })
  return reply(200, rows, has_more ? { Link: linkToNext({ ...query, limit, cursor: rows.at(-1)!.id }) } : {})
})

/** A header value as in RFC 8288; the address is relative to that of the request. */
const linkToNext = (query: Record<string, string | number>): string => {
  const fields = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])
  return `<?${new URLSearchParams(fields)}>; rel="next"`
}

/** The route of the log. */
export const auditRoutes: Route[] = [listRows]
