import { MAX_PAGE_ROWS, pageReply, type Route } from '#kernel'
import { type Cradle, route } from './manifest.ts'
import { auditQuery, auditRow } from './schemas.ts'

const listRows = route({
  method: 'GET',
  path: '/admin/audit-log',
  summary: 'List who has changed what, and who has signed in or tried to, newest first',
  guard: 'admin',
  query: auditQuery,
  response: { 200: { type: 'array', items: auditRow } },
}).handle(async ({ query }, { auditLog }) => {
  const asked = { ...query, limit: Math.min(query.limit, MAX_PAGE_ROWS) }
  return pageReply(asked, await auditLog.page(asked))
})

/** The route of the log. */
export const auditRoutes: Route<Cradle>[] = [listRows]
