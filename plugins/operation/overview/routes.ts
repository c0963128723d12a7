import { route } from './manifest.ts'
import { overviewRow } from './schemas.ts'

const getOverview = route({
  method: 'GET',
  path: '/admin/overview',
  operation_id: 'getOverview',
  summary: 'Get an overview of the server',
  description:
    'Counts accounts, agents, threads, running turns, channels and tokens of the whole installation, and lists its plugins and the server processes that use the database.',
  guard: 'admin',
  response: { 200: overviewRow },
}).handle(async (_request, { overview, server: { started_at } }) => ({
  ...(await overview.read()),
  started_at,
}))

/** The routes of the overview. */
export const overviewRoutes = [getOverview]
