import { route } from './manifest.ts'
import { overviewRow } from './schemas.ts'

const getOverview = route({
  method: 'GET',
  path: '/admin/overview',
  operation_id: 'getOverview',
  summary: 'Accounts, agents, conversations and servers at a glance',
  guard: 'admin',
  response: { 200: overviewRow },
}).handle(async (_request, { overview, server: { started_at } }) => ({
  ...(await overview.read()),
  started_at,
}))

/** The routes of the overview. */
export const overviewRoutes = [getOverview]
