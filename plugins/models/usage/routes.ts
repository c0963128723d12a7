import { AppError, MAX_PAGE_ROWS, type Route } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'
import {
  accountUsageQuery,
  accountUsageReport,
  exportQuery,
  exportRows,
  usageQuery,
  usageReport,
} from './schemas.ts'

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
    'Sums up the tokens of the model calls of all accounts, of some, or of one, and lists the accounts with calls in the window, sorted by tokens, the largest first. `limit` and `offset` apply to `accounts`.',
  guard: 'admin',
  query: accountUsageQuery,
  response: { 200: accountUsageReport },
  errors: ['NOT_FOUND'],
}).handle(async ({ query }, { usageReports, users }) => {
  const { username, user_ids, limit, offset, ...asked } = query
  const user = username === undefined ? undefined : await users.findByUsername(username)
  if (user === null) throw new AppError('NOT_FOUND')
  const question = {
    ...asked,
    ...(user_ids !== undefined && { user_ids: user_ids.split(',') }),
    ...(user && { user_id: user._id }),
  }
  const report = await usageReports.read(question)
  const page = { limit: Math.min(limit, MAX_PAGE_ROWS), offset }
  return { ...report, accounts: await usageReports.listAccounts(question, page) }
})

const exportUsage = route({
  method: 'GET',
  path: '/usage/export',
  operation_id: 'exportUsage',
  summary: 'Export usage',
  description:
    'Downloads the sums of model calls as CSV for spreadsheets or as JSON, one row for each account, group, agent, model or day. Administrators get those of all accounts, or with `username` of one; everybody else gets their own.',
  guard: 'user',
  query: exportQuery,
  stream: 'response',
  response: { 200: exportRows },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
}).handle(async ({ caller, query }, { usageExports, users }) => {
  const { username, from, to, by, format } = query
  const isAdmin = caller.role === 'admin'
  if (!isAdmin && username !== undefined && username.toLowerCase() !== caller.username)
    throw new AppError('FORBIDDEN')
  const user = isAdmin && username !== undefined ? await users.findByUsername(username) : undefined
  if (user === null) throw new AppError('NOT_FOUND')
  const user_id = isAdmin ? user?._id : caller.id
  const span = {
    ...(from !== undefined && { from: readMoment(from, '/from') }),
    ...(to !== undefined && { to: readMoment(to, '/to') + (isDate(to) ? DAY_SECONDS : 0) }),
  }
  return usageExports.create({ by, ...span, ...(user_id !== undefined && { user_id }) }, format)
})

const DAY_SECONDS = 86_400

const isDate = (moment: string) => moment.length === 'YYYY-MM-DD'.length && moment.includes('-')

/** Reads Unix seconds, or an ISO date or time. Throws VALIDATION_FAILED for a date that does not exist. */
function readMoment(moment: string, path: string): number {
  const seconds = /^\d+$/.test(moment) ? Number(moment) : Math.floor(Date.parse(moment) / 1000)
  if (Number.isFinite(seconds)) return seconds
  const issue = { path, rule: 'date', message: 'is not a date' }
  throw new AppError('VALIDATION_FAILED', { issues: [issue] })
}

/** The routes of usage. */
export const usageRoutes: Route<Cradle>[] = [getUsage, listAccountUsage, exportUsage]
