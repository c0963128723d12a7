import { isDuplicateKey } from '#kernel'
import type { Cradle } from './manifest.ts'
import { dayOf, monthOf } from './periods.ts'
import { reservation, type Wish } from './reservation.ts'
import type { Hold, UsageCounterDocument, UsageDocument } from './types.ts'

/** For how long a reservation holds that nothing is heard of any more, and a charged batch is remembered. */
const KEPT_MS = 15 * 60_000
/** A reservation that a crash takes away would have been given up anyway. */
const NOT_IN_JOURNAL = { writeConcern: { w: 1, journal: false } } as const

/** What ended calls of one account come to: rows to be charged, and calls whose reservations go. */
export interface Charge {
  user_id: string
  rows: UsageDocument[]
  ended: string[]
}

/** What of a quota is used and reserved at present, in tokens. */
export interface QuotaUse {
  used: number
  reserved: number
}

/** What every account has used, and what its calls under way have reserved. */
export type UsageCounters = ReturnType<typeof createUsageCounters>

/** Makes the counters, one document an account. */
export function createUsageCounters({
  collections: { usage_counters: counters },
  clock,
  server,
  quotaWindow,
}: Pick<Cradle, 'collections' | 'clock' | 'server' | 'quotaWindow'>) {
  const isLive = ({ until }: Pick<Hold, 'until'>) => until > clock.now()

  /** The key of the present period of the quota; undefined where it is for all time. */
  const currentKey = () => {
    if (quotaWindow === 'all') return undefined
    return (quotaWindow === 'day' ? dayOf : monthOf)(clock.seconds())
  }

  const useOf = ({ holds, ...counter }: UsageCounterDocument): QuotaUse => {
    const period = quotaWindow === 'all' ? undefined : counter[quotaWindow]
    const inPeriod = period?.key === currentKey() ? period?.used : 0
    return {
      used: (quotaWindow === 'all' ? counter.total : inPeriod) ?? 0,
      reserved: holds.filter(isLive).reduce((sum, { tokens }) => sum + tokens, 0),
    }
  }

  const usedNow = () => {
    const key = currentKey()
    return key === undefined
      ? { $ifNull: ['$total', 0] }
      : { $cond: [{ $eq: [`$${quotaWindow}.key`, key] }, `$${quotaWindow}.used`, 0] }
  }

  return {
    /**
     * Reserves what a call may take of what is left of the quota, whoever else reserves at the same time; returns the
     * tokens that its answer may have, or what is used and reserved if it gets none.
     */
    async reserve(user_id: string, wish: Wish, quota: number): Promise<{ output: number } | QuotaUse> {
      const now = clock.now()
      const holds = reservation(wish, { quota, used: usedNow(), until: now + KEPT_MS })
      const reserve = () =>
        counters.findOneAndUpdate(
          { _id: user_id },
          [{ $set: { holds: liveHolds(now) } }, { $set: { holds } }],
          { upsert: true, returnDocument: 'after', projection: { batches: 0 }, ...NOT_IN_JOURNAL },
        )
      const counter = (await reserve().catch((error) => {
        // Somebody else has made the document meanwhile.
        if (isDuplicateKey(error)) return reserve()
        throw error
      }))!
      const hold = counter.holds.find(({ call_id }) => call_id === wish.call_id)
      return hold ? { output: hold.tokens - wish.prompt } : useOf(counter)
    },

    /** Charges accounts, each in one update; the same batch charges none of them twice. */
    async charge(batch: string, charges: readonly Charge[]): Promise<void> {
      const now = clock.now()
      const operations = charges.map(({ user_id, rows, ended }) => ({
        updateOne: {
          filter: { _id: user_id },
          update: [
            ...(rows.length > 0 ? [charged({ _id: batch, writer: server.node_id, at: now, rows })] : []),
            { $set: { holds: liveHolds(now, ended) } },
          ],
          upsert: rows.length > 0,
        },
      }))
      await counters.bulkWrite(operations, { ordered: false })
    },

    /** What accounts have used in all time, by account. */
    async listTotals(user_ids: readonly string[]): Promise<Map<string, number>> {
      const found = await counters
        .find({ _id: { $in: [...user_ids] } }, { projection: { total: 1 } })
        .toArray()
      return new Map(found.map(({ _id, total = 0 }) => [_id, total]))
    },

    /** What accounts have used and reserved of their quotas, or would have if they had one. */
    async listUses(user_ids: readonly string[]): Promise<Map<string, QuotaUse>> {
      const found = await counters
        .find({ _id: { $in: [...user_ids] } }, { projection: { batches: 0 } })
        .toArray()
      return new Map(found.map((counter) => [counter._id, useOf(counter)]))
    },

    /** Counters charged in the time before the last charge of all in which a crash may have left something undone. */
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

const liveHolds = (now: number, ended: readonly string[] = []) => ({
  $filter: {
    input: { $ifNull: ['$holds', []] },
    cond: {
      $and: [{ $gt: ['$$this.until', now] }, { $not: { $in: ['$$this.call_id', { $literal: ended }] } }],
    },
  },
})

/** Adds a batch to a counter that has not had it yet. */
function charged(batch: NonNullable<UsageCounterDocument['batches']>[number]) {
  const { rows, writer, at } = batch
  const batches = { $ifNull: ['$batches', []] }
  const others = {
    $filter: {
      input: batches,
      cond: { $and: [{ $ne: ['$$this.writer', writer] }, { $gt: ['$$this.at', at - KEPT_MS] }] },
    },
  }
  const changes = {
    total: { $add: [{ $ifNull: ['$total', 0] }, sumOf(rows)] },
    day: periodWith('day', rows, dayOf),
    month: periodWith('month', rows, monthOf),
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

/** The count of the newest period; what comes late for one before it is only in the total. */
function periodWith(
  field: 'day' | 'month',
  rows: readonly UsageDocument[],
  keyOf: (seconds: number) => string,
) {
  const key = keyOf(Math.max(...rows.map(({ ts }) => ts)))
  const added = sumOf(rows.filter(({ ts }) => keyOf(ts) === key))
  const before = { $cond: [{ $eq: [`$${field}.key`, key] }, `$${field}.used`, 0] }
  return {
    $cond: [{ $gt: [`$${field}.key`, key] }, `$${field}`, { key, used: { $add: [before, added] } }],
  }
}

const sumOf = (rows: readonly UsageDocument[]) =>
  rows.reduce((sum, { total_tokens }) => sum + total_tokens, 0)
