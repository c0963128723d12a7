import { isDuplicateKey, type Write } from '#plugin-api'
import type { Budget } from '../../identity/users/types.ts'
import type { ModelAccount } from '../providers/types.ts'
import type { Cradle } from './manifest.ts'
import { toDay, toMonth } from './periods.ts'
import { KEPT_MS, liveHolds, NOT_IN_JOURNAL, reservationOf, type Use, type Wish } from './reservation.ts'
import { listCosts, readWindow, spentNow, toSpentUpdate } from './spent-windows.ts'
import type { ChargedBatch, Hold, UnreportedWarning, UsageCounterDocument, UsageDocument } from './types.ts'
import { toUnreported } from './unreported-warnings.ts'

/** The charge of one account for calls that have ended: their rows, and the calls whose reservations are released. */
export interface Charge {
  user_id: string
  /** The zone in which the account's budgets begin anew; null for that of the server. */
  timezone: string | null
  rows: UsageDocument[]
  ended: string[]
}

/** The batch of charges that a process writes. */
export type Batch = Pick<ChargedBatch, '_id' | 'writer' | 'number'>

/** The limits of an account. */
export type AccountLimits = Pick<ModelAccount, 'token_quota' | 'budget' | 'timezone'>

/** The tokens and the money that every account has used, and that its running calls have reserved. */
export type UsageCounters = ReturnType<typeof createUsageCounters>

/** Creates the counters, one document per account. */
export function createUsageCounters({
  collections: { usage_counters: counters },
  clock,
  quotaWindow,
  config,
}: Pick<Cradle, 'collections' | 'clock' | 'quotaWindow' | 'config'>) {
  const { currency } = config
  /** The calls of this process that have a reservation. */
  const reservedCalls = new Set<string>()
  const settingsOf = (timezone: string | null) => ({ timezone: timezone ?? config.timezone, currency })
  const isLive = ({ until }: Pick<Hold, 'until'>) => until > clock.now()

  /** Returns the key of the quota's current period; undefined for all time. */
  const currentKey = () => {
    if (quotaWindow === 'all') return undefined
    return (quotaWindow === 'day' ? toDay : toMonth)(clock.seconds())
  }

  const readUse = (
    { holds, ...counter }: UsageCounterDocument,
    { budget, timezone }: Pick<AccountLimits, 'budget' | 'timezone'>,
  ): Use => {
    const live = holds.filter(isLive)
    const window = budget && readWindow(counter.spent, budget, clock.seconds(), settingsOf(timezone))
    const period = quotaWindow === 'all' ? undefined : counter[quotaWindow]
    const inPeriod = period?.key === currentKey() ? period?.used : 0
    return {
      used: (quotaWindow === 'all' ? counter.total : inPeriod) ?? 0,
      reserved: live.reduce((sum, { tokens }) => sum + tokens, 0),
      spent: window?.amount ?? 0,
      reserved_cost: live.reduce((sum, { cost = 0 }) => sum + cost, 0),
      resets_at: window ? window.until : null,
    }
  }

  const usedNow = () => {
    const key = currentKey()
    return key === undefined
      ? { $ifNull: ['$total', 0] }
      : { $cond: [{ $eq: [`$${quotaWindow}.key`, key] }, `$${quotaWindow}.used`, 0] }
  }

  return {
    isHeld: (call_id: string): boolean => reservedCalls.has(call_id),

    /** Forgets the calls of a batch that was written. */
    noteEnded(call_ids: readonly string[]): void {
      for (const call_id of call_ids) reservedCalls.delete(call_id)
    },

    /**
     * Reserves tokens and money of an account for a call, safely beside other reservations. Returns the number of tokens
     * that the answer may have; if nothing could be reserved, returns what is used and reserved.
     */
    async reserve(
      user_id: string,
      wish: Wish,
      { token_quota, budget, timezone }: AccountLimits,
    ): Promise<{ output: number } | Use> {
      const now = clock.now()
      reservedCalls.add(wish.call_id)
      const holds = reservationOf(wish, {
        quota: token_quota === null ? undefined : { tokens: token_quota, used: usedNow() },
        budget: budget
          ? { amount: budget.amount, spent: spentNow(budget.window, clock.seconds(), currency) }
          : undefined,
        until: now + KEPT_MS,
      })
      const reserve = () =>
        counters.findOneAndUpdate(
          { _id: user_id },
          [{ $set: { holds: liveHolds(now) } }, { $set: { holds } }],
          { upsert: true, returnDocument: 'after', projection: { batches: 0 }, ...NOT_IN_JOURNAL },
        )
      const counter = (await reserve().catch((error) => {
        // Another process created the document in the meantime.
        if (isDuplicateKey(error)) return reserve()
        throw error
      }))!
      const hold = counter.holds.find(({ call_id }) => call_id === wish.call_id)
      if (hold) return { output: hold.tokens - wish.prompt }
      reservedCalls.delete(wish.call_id)
      return readUse(counter, { budget, timezone })
    },

    /** Returns the writes that charge accounts, each in one update; a repeated batch is charged once. */
    toWrites(batch: Batch, charges: readonly Charge[]): Write[] {
      const now = clock.now()
      return charges.map(({ user_id, timezone, rows, ended }) => ({
        name: 'updateOne',
        namespace: counters.namespace,
        filter: { _id: user_id },
        update: [
          ...(rows.length > 0 ? [toChargedUpdate({ ...batch, at: now, rows }, settingsOf(timezone))] : []),
          { $set: { holds: liveHolds(now, ended) } },
        ],
        upsert: rows.length > 0,
      }))
    },

    /** Reads what accounts have used and spent. */
    async list(
      user_ids: readonly string[],
    ): Promise<Map<string, Pick<UsageCounterDocument, 'total' | 'spent'>>> {
      const rows = await counters
        .find({ _id: { $in: [...user_ids] } }, { projection: { total: 1, spent: 1 } })
        .toArray()
      return new Map(rows.map((counter) => [counter._id, counter]))
    },

    /** Reads what accounts have used and reserved, whether or not they have limits. */
    async listUses(
      accounts: readonly ({ user_id: string } & Pick<AccountLimits, 'budget' | 'timezone'>)[],
    ): Promise<Map<string, Use>> {
      const documents = await counters
        .find({ _id: { $in: accounts.map(({ user_id }) => user_id) } }, { projection: { batches: 0 } })
        .toArray()
      const byId = new Map(documents.map((counter) => [counter._id, counter]))
      return new Map(
        accounts.map((account) => {
          const { user_id } = account
          return [user_id, readUse(byId.get(user_id) ?? { _id: user_id, holds: [] }, account)]
        }),
      )
    },

    /** Notes that this warning about a window is given, for webhooks too; false if it was given before. */
    async noteWarning(user_id: string, budget: Budget, warning: UnreportedWarning): Promise<boolean> {
      const path = `spent.${budget.window}`
      const filter = { _id: user_id, [`${path}.until`]: warning.resets_at, [`${path}.warned`]: { $ne: true } }
      const { modifiedCount } = await counters.updateOne(filter, {
        $set: { [`${path}.warned`]: true },
        $push: toUnreported(warning),
      })
      return modifiedCount === 1
    },

    /** Reads the counters whose last charge may not have been settled because of a crash. */
    async *listRecent(): AsyncGenerator<UsageCounterDocument, void, void> {
      const newest = await counters.findOne({}, { sort: { changed_at: -1 }, projection: { changed_at: 1 } })
      if (newest?.changed_at === undefined) return
      yield* counters.find({ changed_at: { $gte: newest.changed_at - KEPT_MS } })
    },

    async remove(user_ids: readonly string[]): Promise<void> {
      await counters.deleteMany({ _id: { $in: [...user_ids] } })
    },
  }
}

/** Adds a batch to a counter, unless the counter already contains it. */
function toChargedUpdate(batch: ChargedBatch, settings: { timezone: string; currency: string }) {
  const { rows, writer, at } = batch
  const costs = listCosts(rows, settings.currency)
  const batches = { $ifNull: ['$batches', []] }
  const others = {
    $filter: {
      input: batches,
      cond: { $and: [{ $ne: ['$$this.writer', writer] }, { $gt: ['$$this.at', at - KEPT_MS] }] },
    },
  }
  const changes = {
    total: { $add: [{ $ifNull: ['$total', 0] }, sumTokens(rows)] },
    day: toPeriodUpdate('day', rows, toDay),
    month: toPeriodUpdate('month', rows, toMonth),
    ...(costs.length > 0 && {
      spent: toSpentUpdate({ $literal: costs }, Math.max(...costs.map(({ ts }) => ts)), settings),
    }),
    batches: { $concatArrays: [others, { $literal: [batch] }] },
    changed_at: at,
  }
  return {
    $replaceWith: {
      $cond: [
        { $in: [batch._id, { $map: { input: batches, in: '$$this._id' } }] },
        '$$ROOT',
        { $mergeObjects: ['$$ROOT', changes] },
      ],
    },
  }
}

/** Adds rows to the count of the newest period; a late row of an earlier period only enters the total. */
function toPeriodUpdate(
  field: 'day' | 'month',
  rows: readonly UsageDocument[],
  toKey: (seconds: number) => string,
) {
  const key = toKey(Math.max(...rows.map(({ ts }) => ts)))
  const added = sumTokens(rows.filter(({ ts }) => toKey(ts) === key))
  const previous = { $cond: [{ $eq: [`$${field}.key`, key] }, `$${field}.used`, 0] }
  return {
    $cond: [{ $gt: [`$${field}.key`, key] }, `$${field}`, { key, used: { $add: [previous, added] } }],
  }
}

const sumTokens = (rows: readonly UsageDocument[]) =>
  rows.reduce((sum, { total_tokens }) => sum + total_tokens, 0)
