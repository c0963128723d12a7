import { AppError, MAX_PAGE_ROWS, type Route } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'
import { accountUsageQuery, accountUsageReport, usageQuery, usageReport } from './schemas.ts'

const getUsage = route({
  method: 'GET',
  path: '/usage/summary',
  operation_id: 'getUsage',
  summary: 'Get your usage',
  description:
    'Sums up the tokens of your own model calls in a window, in total and in buckets, and shows the state of your quota and of your budget. Calls that have just ended are included. Deleting threads or agents does not reduce the numbers.',
  guard: 'user',
  query: usageQuery,
  response: { 200: usageReport },
}).handle(async ({ caller, query }, { usageReports, quotas }) => {
  const report = await usageReports.read({ ...query, user_id: caller.id })
  return { ...report, ...(await quotas.read(caller.id, caller)) }
})

const listAccountUsage = route({
  method: 'GET',
  path: '/admin/usage',
  operation_id: 'getAccountsUsage',
  summary: 'Get the usage of all accounts',
  description:
    'Sums up the tokens of the model calls of all accounts, or of one, and lists the accounts with calls in the window, sorted by tokens, the largest first. `limit` and `offset` apply to `accounts`.',
  guard: 'admin',
  query: accountUsageQuery,
  response: { 200: accountUsageReport },
  errors: ['NOT_FOUND'],
}).handle(async ({ query }, { usageReports, users }) => {
  const { username, limit, offset, ...asked } = query
  const user = username === undefined ? undefined : await users.findByUsername(username)
  if (user === null) throw new AppError('NOT_FOUND')
  const question = { ...asked, ...(user && { user_id: user._id }) }
  const report = await usageReports.read(question)
  const page = { limit: Math.min(limit, MAX_PAGE_ROWS), offset }
  return { ...report, accounts: await usageReports.listAccounts(question, page) }
})

/** The routes of usage. */
export const usageRoutes: Route<Cradle>[] = [getUsage, listAccountUsage]
