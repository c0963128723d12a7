import type { Budget } from '../../identity/users/types.ts'
import { BUDGET_WINDOWS, type BudgetWindow, findSpan } from './budget-windows.ts'
import type { SpentAmounts, SpentWindow, UsageDocument } from './types.ts'

/** The cost of a call, in billionths, and the time at which it ended, in Unix seconds. */
export interface SpentCost {
  ts: number
  cost: number
}

/** Returns the costs of rows in the currency of the server. */
export const listCosts = (rows: readonly UsageDocument[], currency: string): SpentCost[] =>
  rows.flatMap(({ ts, cost_billionths: cost, currency: own }) =>
    cost !== undefined && own === currency ? [{ ts, cost }] : [],
  )

/** The zone and the currency of a counter. */
interface CounterSettings {
  timezone: string
  currency: string
}

/**
 * Returns the expression that adds costs to the windows of a counter. `costs` is an expression for a list of SpentCost, of
 * which the newest ended at `last`. A window that runs keeps its end, whatever the zone is now. The one after it is a
 * whole window of the zone: if the window of the zone had begun before the other ended, it runs until the end of the next,
 * so that nobody gets a window more by changing the zone.
 */
export function toSpentUpdate(costs: unknown, last: number, { timezone, currency }: CounterSettings) {
  const isSame = { $eq: ['$spent.currency', currency] }
  const sumSince = (from: unknown) => ({
    $sum: {
      $map: {
        input: { $filter: { input: costs, cond: { $gte: ['$$this.ts', from] } } },
        in: '$$this.cost',
      },
    },
  })
  const windows = BUDGET_WINDOWS.map((window) => {
    const span = findSpan(window, timezone, last)
    const stored = `$spent.${window}`
    const previousEnd = { $cond: [isSame, { $ifNull: [`${stored}.until`, 0] }, 0] }
    const continued = {
      $mergeObjects: [stored, { amount: { $add: [`${stored}.amount`, sumSince(`${stored}.from`)] } }],
    }
    const started = {
      $let: {
        vars: { from: { $max: [span.from, '$$end'] } },
        in: {
          from: '$$from',
          until: { $cond: [{ $gt: ['$$end', span.from] }, span.next, span.until] },
          amount: sumSince('$$from'),
        },
      },
    }
    const update = {
      $let: { vars: { end: previousEnd }, in: { $cond: [{ $gt: ['$$end', last] }, continued, started] } },
    }
    return [window, update] as const
  })
  return { currency, ...Object.fromEntries(windows) }
}

/** Returns the expression for what was spent of a window that still runs. */
export const spentNow = (window: BudgetWindow, now: number, currency: string) => ({
  $cond: [
    { $and: [{ $eq: ['$spent.currency', currency] }, { $gt: [`$spent.${window}.until`, now] }] },
    `$spent.${window}.amount`,
    0,
  ],
})

/** Returns the window of a budget as it is at a time in Unix seconds, as `toSpentUpdate` would continue it. */
export function readWindow(
  spent: SpentAmounts | undefined,
  { window }: Pick<Budget, 'window'>,
  now: number,
  { timezone, currency }: CounterSettings,
): SpentWindow {
  const stored = spent?.currency === currency ? spent[window] : undefined
  if (stored && stored.until > now) return stored
  const span = findSpan(window, timezone, now)
  const end = stored?.until ?? 0
  return { from: Math.max(span.from, end), until: end > span.from ? span.next : span.until, amount: 0 }
}
