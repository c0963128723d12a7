import { budgetRow, budgetState, nullable, type Route, rowOf } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'

/** The body and the reply of the routes of the server's budget. */
const budgetBody = rowOf({
  budget: { ...budgetRow, description: 'In the currency of the server; null removes the budget' },
})
const budgetReply = { title: 'ServerBudget', ...rowOf({ budget: nullable(budgetState) }) } as const

const getBudget = route({
  method: 'GET',
  path: '/admin/budget',
  operation_id: 'getServerBudget',
  summary: 'Get the budget of the server',
  description:
    'Returns what all accounts together may spend on model calls in a window, with what they have spent and reserved; null without a budget.',
  guard: 'admin',
  response: { 200: budgetReply },
}).handle(async (_, { quotas }) => ({ budget: await quotas.readServer() }))

const setBudget = route({
  method: 'PUT',
  path: '/admin/budget',
  operation_id: 'setServerBudget',
  summary: 'Set the budget of the server',
  description:
    'Limits what all accounts together spend on model calls in a window, which begins at midnight, on Monday or on the first of the month in the time zone of the server. It counts what was spent in the current window before. Calls beyond it are refused with `BUDGET_EXCEEDED`.',
  guard: 'admin',
  body: budgetBody,
  response: { 200: budgetReply },
  audit: 'budget.set',
}).handle(async ({ body }, { quotas, serverSpending, signals }) => {
  await serverSpending.setBudget(body.budget)
  signals.publish('usage.budget', {})
  return { budget: await quotas.readServer() }
})

/** The routes of the server's budget. */
export const budgetRoutes: Route<Cradle>[] = [getBudget, setBudget]
