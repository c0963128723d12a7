import { AppError, type Route } from '#kernel'
import { MAX_PAGE_ROWS } from '#toolbox'
import { type Cradle, route } from './manifest.ts'
import { accountUsageQuery, accountUsageReport, usageQuery, usageReport } from './schemas.ts'

const getUsage = route({
  method: 'GET',
  path: '/usage/summary',
  operation_id: 'getUsage',
  summary:
    "Read the tokens of the caller's model calls and the state of the caller's quota; deleting threads or agents does not refund tokens",
  guard: 'user',
  query: usageQuery,
  response: { 200: usageReport },
}).handle(async ({ caller, query }, { usageReports, quotas }) => {
  const report = await usageReports.read({ ...query, user_id: caller.id })
  return { ...report, quota: await quotas.read(caller.id, caller.token_quota) }
})

const listAccountUsage = route({
  method: 'GET',
  path: '/admin/usage',
  operation_id: 'getAccountsUsage',
  summary:
    'Read the tokens of the model calls of all accounts, and the accounts sorted by tokens, largest first',
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
