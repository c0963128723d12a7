import { EventEmitter, once } from 'node:events'
import { AppError, createDeadline, fromBillionths, toBillionths } from '#plugin-api'
import type { Budget, UserDocument } from '../../identity/users/types.ts'
import type { ModelCalling } from '../providers/types.ts'
import { toLocalTime } from './budget-windows.ts'
import type { Cradle } from './manifest.ts'
import { nextReset } from './periods.ts'
import { costOfWish, type Use, type Wish } from './reservation.ts'
import type { BudgetState, QuotaRow } from './schemas.ts'
import type { AppliedBudget } from './types.ts'
import type { AccountLimits } from './usage-counters.ts'

/** The time that a call waits for other calls to release their reservations, in milliseconds. */
const WAIT_MS = 60_000
/** The interval at which a waiting call looks for releases by other server processes, in milliseconds. */
const POLL_MS = 500

/** One of the counters at which a call reserves. */
interface Counter {
  /** Emitted at the end of calls after which the counter has more room; only polled without. */
  ending?: string
  reserve(wish: Wish): Promise<{ output: number } | Use>
  /** Returns the error of a call that does not fit beside this use; `needed` is its least number of tokens. */
  refusalOf(use: Use, wish: Wish, reserved: 'counts' | 'is ignored'): AppError | undefined
}

/** The token quotas of accounts, and the budgets of accounts and of the server. */
export type Quotas = ReturnType<typeof createQuotas>

/** Creates the quotas. */
export function createQuotas({
  usageCounters,
  usageRecords,
  serverSpending,
  quotaWindow: window,
  config: { currency, timezone: serverZone, unpriced },
  clock,
  log,
}: Pick<
  Cradle,
  'usageCounters' | 'usageRecords' | 'serverSpending' | 'quotaWindow' | 'config' | 'clock' | 'log'
>) {
  const resets_at = () => nextReset(window, clock.seconds())
  /** Emits the id of an account when one of its calls in this process has ended. */
  const endings = new EventEmitter().setMaxListeners(0)

  const untilNextEnding = async (
    ending: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const waiting = createDeadline([signal], { milliseconds: POLL_MS })
    await once(endings, ending ?? 'none', { signal: waiting.signal }).catch(() => undefined)
    waiting.release()
    signal?.throwIfAborted()
  }

  /** Returns the error of a call that needs more than is left of a quota. */
  const quotaRefusal = (quota: number | null, use: Use, { prompt }: Wish, reserved: number) => {
    const { used } = use
    const needed = prompt + 1
    if (quota === null || used + reserved + needed <= quota) return undefined
    const details = { quota, used, reserved: use.reserved, needed, window, resets_at: resets_at() }
    return new AppError('TOKEN_QUOTA_EXCEEDED', details)
  }

  /** Returns the error of a call that needs more than is left of a budget. */
  const budgetRefusal = (
    { budget, scope }: AppliedBudget,
    timezone: string,
    use: Use,
    { wish, reserved }: { wish: Wish; reserved: number },
  ) => {
    const needed = costOfWish(wish, 1)
    if (use.spent + reserved + needed <= toBillionths(budget.amount)) return undefined
    return new AppError('BUDGET_EXCEEDED', {
      budget,
      scope,
      limit: budget.amount,
      currency: budget.currency,
      spent: fromBillionths(use.spent),
      reserved: fromBillionths(use.reserved_cost),
      needed: fromBillionths(needed),
      resets_at: use.resets_at,
      resets_on: toLocalTime(use.resets_at!, timezone),
    })
  }

  const apply = ({ amount, window, group_id }: Budget, isServer = false): AppliedBudget => ({
    budget: { amount, window, currency },
    scope: isServer ? 'server' : group_id === undefined ? 'account' : 'group',
  })

  const accountCounter = (user_id: string, limits: AccountLimits): Counter => ({
    ending: user_id,
    reserve: (wish) => usageCounters.reserve(user_id, wish, limits),
    refusalOf(use, wish, reserved) {
      const [tokens, cost] = reserved === 'counts' ? [use.reserved, use.reserved_cost] : [0, 0]
      const { token_quota, budget, timezone } = limits
      const quotaError = quotaRefusal(token_quota, use, wish, tokens)
      if (quotaError || !budget) return quotaError
      return budgetRefusal(apply(budget), timezone ?? serverZone, use, { wish, reserved: cost })
    },
  })

  const serverCounter = (budget: Budget): Counter => ({
    reserve: (wish) => serverSpending.reserve(wish, budget),
    refusalOf: (use, wish, reserved) =>
      budgetRefusal(apply(budget, true), serverZone, use, {
        wish,
        reserved: reserved === 'counts' ? use.reserved_cost : 0,
      }),
  })

  /** Reserves at one counter, which may have to wait for other calls; returns the tokens that the answer may have. */
  const reserveAt = async (
    counter: Counter,
    wish: Omit<Wish, 'takesAny'>,
    { deadline, signal }: { deadline: number; signal: AbortSignal | undefined },
  ): Promise<number> => {
    for (;;) {
      const attempt = { ...wish, takesAny: clock.now() >= deadline }
      const attempted = await counter.reserve(attempt)
      if ('output' in attempted) return attempted.output
      const refusal =
        counter.refusalOf(attempted, attempt, 'is ignored') ??
        (attempt.takesAny ? counter.refusalOf(attempted, attempt, 'counts') : undefined)
      if (refusal) throw refusal
      await untilNextEnding(counter.ending, signal)
    }
  }

  /** Returns the state of a budget. */
  const toState = (budget: Budget, use: Use, isServer = false): BudgetState => {
    const { scope } = apply(budget, isServer)
    return {
      amount: budget.amount,
      window: budget.window,
      currency,
      spent: fromBillionths(use.spent),
      reserved: fromBillionths(use.reserved_cost),
      remaining: Math.max(0, fromBillionths(toBillionths(budget.amount) - use.spent)),
      resets_at: use.resets_at!,
      scope,
    }
  }

  const self = {
    /**
     * Reserves the tokens and the money that a call may take, and limits its answer to them. Calls reserve more than they
     * take, so a call that does not fit beside others waits for them. Throws TOKEN_QUOTA_EXCEEDED or BUDGET_EXCEEDED if
     * waiting cannot help or takes too long, and PRICE_UNKNOWN if calls without a price are refused.
     */
    async reserve({ call_id, account, model, estimate, limitOutput, signal }: ModelCalling): Promise<void> {
      const { user_id, token_quota, budget } = account
      const serverBudget = serverSpending.budget
      if (token_quota === null && budget === null && serverBudget === null && unpriced === 'run') return
      const { prompt, output, cost } = estimate()
      if (cost === null && unpriced === 'refuse') throw new AppError('PRICE_UNKNOWN', { model })
      const deadline = clock.now() + WAIT_MS
      const counters = [
        ...(token_quota !== null || (budget && cost) ? [accountCounter(user_id, account)] : []),
        ...(serverBudget && cost ? [serverCounter(serverBudget)] : []),
      ]
      let granted = output
      try {
        for (const counter of counters)
          granted = await reserveAt(counter, { call_id, prompt, output: granted, cost }, { deadline, signal })
      } catch (error) {
        // A reservation may have succeeded although its reply was lost. The turn does not wait for the release.
        if (usageCounters.isHeld(call_id) || serverSpending.isHeld(call_id))
          usageRecords
            .release(user_id, call_id)
            .catch((error) => log.error({ error, call_id }, 'a reservation could not be released'))
        throw error
      }
      if (counters.length > 0) limitOutput(granted)
    },

    /** Throws TOKEN_QUOTA_EXCEEDED or BUDGET_EXCEEDED if nothing is left of the quota or a budget of an account. */
    async assertAnyLeft({ _id: user_id, token_quota, budget, timezone }: UserDocument): Promise<void> {
      const least = { call_id: '', prompt: 0, output: 1, cost: { prompt: 0, token: 1 }, takesAny: true }
      const use = (await usageCounters.listUses([{ user_id, budget, timezone }])).get(user_id)!
      const counter = accountCounter(user_id, { token_quota, budget, timezone })
      const serverBudget = serverSpending.budget
      const refusal =
        counter.refusalOf(use, least, 'is ignored') ??
        (serverBudget &&
          serverCounter(serverBudget).refusalOf(
            await serverSpending.readUse(serverBudget),
            least,
            'is ignored',
          ))
      if (refusal) throw refusal
    },

    /** Lets waiting calls of an account try again. */
    noteEnding: (user_id: string): void => void endings.emit(user_id),

    /** Reads how much of its quota and its budget an account has used and reserved. */
    async read(
      user_id: string,
      { token_quota, budget, timezone }: AccountLimits,
    ): Promise<{ quota: QuotaRow; budget: BudgetState | null }> {
      const use = (await usageCounters.listUses([{ user_id, budget, timezone }])).get(user_id)!
      const { used, reserved } = use
      const remaining = token_quota === null ? null : Math.max(0, token_quota - used)
      return {
        quota: { token_quota, window, used, reserved, remaining, resets_at: resets_at() },
        budget: budget && toState(budget, use),
      }
    },

    /** Reads the state of the budget of an account; null if it has none. */
    readBudget: async (account: UserDocument): Promise<BudgetState | null> =>
      account.budget ? (await self.read(account._id, account)).budget : null,

    /** Reads the budget of the server; null if there is none. */
    async readServer(): Promise<BudgetState | null> {
      await serverSpending.load()
      const { budget } = serverSpending
      return budget && toState(budget, await serverSpending.readUse(budget), true)
    },
  }
  return self
}
