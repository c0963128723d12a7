import { fromBillionths, toBillionths } from '#plugin-api'
import type { Budget } from '../../identity/users/types.ts'
import type { Cradle } from './manifest.ts'
import { readWindow } from './spent-windows.ts'
import type { SpentAmounts, UnreportedWarning } from './types.ts'

/** The part of a budget after which its owner is warned. */
const WARNED_AT = 0.8

/** An account with what it has spent. */
interface Spender {
  user_id: string
  budget: Budget | null
  timezone: string | null
  spent: SpentAmounts | undefined
}

/** The warnings about budgets that are nearly used up. */
export type BudgetWarnings = ReturnType<typeof createBudgetWarnings>

/** Creates the warnings. */
export function createBudgetWarnings({
  usageCounters,
  serverSpending,
  config,
  events,
  clock,
}: Pick<Cradle, 'usageCounters' | 'serverSpending' | 'config' | 'events' | 'clock'>) {
  const { currency } = config

  const isNearlyUsedUp = ({ amount }: Budget, spent: number) =>
    spent >= toBillionths(amount) * WARNED_AT && spent > 0

  const toWarning = (
    user_id: string | null,
    { amount, window, group_id }: Budget,
    { spent, resets_at }: { spent: number; resets_at: number },
  ): UnreportedWarning => ({
    id: `${user_id ?? 'server'}:${window}:${resets_at}`,
    at: clock.now(),
    budget: { amount, window, currency },
    scope: user_id === null ? 'server' : group_id === undefined ? 'account' : 'group',
    spent: fromBillionths(spent),
    resets_at,
  })

  const warn = (user_id: string | null, { id, at, ...warning }: UnreportedWarning) =>
    events.emit('budget.warned', { user_id, ...warning })

  const checkAccount = async ({ user_id, budget, timezone, spent }: Spender): Promise<void> => {
    if (!budget) return
    const settings = { timezone: timezone ?? config.timezone, currency }
    const { amount, until, warned } = readWindow(spent, budget, clock.seconds(), settings)
    if (warned || !isNearlyUsedUp(budget, amount)) return
    const warning = toWarning(user_id, budget, { spent: amount, resets_at: until })
    if (await usageCounters.noteWarning(user_id, budget, warning)) await warn(user_id, warning)
  }

  const checkServer = async (): Promise<void> => {
    const { budget } = serverSpending
    if (!budget) return
    const { spent, resets_at } = await serverSpending.readUse(budget)
    if (!isNearlyUsedUp(budget, spent)) return
    const warning = toWarning(null, budget, { spent, resets_at: resets_at! })
    if (await serverSpending.noteWarning(budget, warning)) await warn(null, warning)
  }

  return {
    /** Emits `budget.warned` for accounts that have just spent, and for the server, once a window. */
    async check(spenders: readonly Spender[]): Promise<void> {
      await Promise.all([...spenders.map(checkAccount), checkServer()])
    },
  }
}
