import { isDuplicateKey, type Write } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { toDay, toMonth } from './periods.ts'
import type { Hold, UsageCounterDocument, UsageDocument } from './types.ts'

/** The time after which an abandoned reservation expires and a charged batch is forgotten, in milliseconds. */
const KEPT_MS = 15 * 60_000
/** A reservation that a crash loses would have been released anyway. */
const NOT_IN_JOURNAL = { writeConcern: { w: 1, journal: false } } as const

/** The charge of one account for calls that have ended: their rows, and the calls whose reservations are released. */
export interface Charge {
  user_id: string
  rows: UsageDocument[]
  ended: string[]
}

/** The used and reserved tokens of a quota at present. */
interface QuotaUse {
  used: number
  reserved: number
}

/** The tokens that every account has used, and those that its running calls have reserved. */
export type UsageCounters = ReturnType<typeof createUsageCounters>

/** Creates the counters, one document per account. */
export function createUsageCounters({
  collections: { usage_counters: counters },
  clock,
  server,
  quotaWindow,
}: Pick<Cradle, 'collections' | 'clock' | 'server' | 'quotaWindow'>) {
  const isLive = ({ until }: Pick<Hold, 'until'>) => until > clock.now()

  /** Returns the key of the quota's current period; undefined for all time. */
  const currentKey = () => {
    if (quotaWindow === 'all') return undefined
    return (quotaWindow === 'day' ? toDay : toMonth)(clock.seconds())
  }

  const readUse = ({ holds, ...counter }: UsageCounterDocument): QuotaUse => {
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
     * Reserves tokens of a quota for a call, safely beside other reservations. Returns the number of tokens that the
     * answer may have; if nothing could be reserved, returns what is used and reserved.
     */
    async reserve(user_id: string, wish: Wish, quota: number): Promise<{ output: number } | QuotaUse> {
      const now = clock.now()
      const holds = toReservationUpdate(wish, { quota, used: usedNow(), until: now + KEPT_MS })
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
      return hold ? { output: hold.tokens - wish.prompt } : readUse(counter)
    },

    /** Returns the writes that charge accounts, each in one update; a repeated batch is charged once. */
    toWrites(batch: string, charges: readonly Charge[]): Write[] {
      const now = clock.now()
      return charges.map(({ user_id, rows, ended }) => ({
        name: 'updateOne',
        namespace: counters.namespace,
        filter: { _id: user_id },
        update: [
          ...(rows.length > 0
            ? [toChargedUpdate({ _id: batch, writer: server.node_id, at: now, rows })]
            : []),
          { $set: { holds: liveHolds(now, ended) } },
        ],
        upsert: rows.length > 0,
      }))
    },

    /** Reads the tokens that accounts have used in all time, by account. */
    async listTotals(user_ids: readonly string[]): Promise<Map<string, number>> {
      const rows = await counters
        .find({ _id: { $in: [...user_ids] } }, { projection: { total: 1 } })
        .toArray()
      return new Map(rows.map(({ _id, total = 0 }) => [_id, total]))
    },

    /** Reads the used and reserved tokens of accounts, whether or not they have a quota. */
    async listUses(user_ids: readonly string[]): Promise<Map<string, QuotaUse>> {
      const documents = await counters
        .find({ _id: { $in: [...user_ids] } }, { projection: { batches: 0 } })
        .toArray()
      return new Map(documents.map((counter) => [counter._id, readUse(counter)]))
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

const liveHolds = (now: number, ended: readonly string[] = []) => ({
  $filter: {
    input: { $ifNull: ['$holds', []] },
    cond: {
      $and: [{ $gt: ['$$this.until', now] }, { $not: { $in: ['$$this.call_id', { $literal: ended }] } }],
    },
  },
})

/** Adds a batch to a counter, unless the counter already contains it. */
function toChargedUpdate(batch: NonNullable<UsageCounterDocument['batches']>[number]) {
  const { rows, writer, at } = batch
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

/** The smallest useful number of answer tokens: a call waits for them while other calls hold the rest. */
const USEFUL_OUTPUT = 1024
/** The number of free tokens that a call may reserve for its answer even if that is more than half of them. */
const FAIR_OUTPUT = 4096

/** The tokens that a call asks for: its prompt, and at most `output` for its answer. */
export interface Wish {
  call_id: string
  prompt: number
  output: number
  /** Accepts whatever is left for the answer, however little. */
  takesAny: boolean
}

/**
 * Returns the update that reserves tokens of a quota for a call, in one step. The prompt is reserved in full; the
 * answer gets at most half of the tokens that are then free (or FAIR_OUTPUT), so that simultaneous calls all get a
 * share. Nothing is reserved if the rest is not enough for the prompt and one token, or if other calls hold so much
 * that no useful answer is possible.
 */
function toReservationUpdate(
  { call_id, prompt, output, takesAny }: Wish,
  { quota, used, until }: { quota: number; used: unknown; until: number },
) {
  const useful = takesAny ? 1 : Math.min(output, USEFUL_OUTPUT)
  const share = { $max: [FAIR_OUTPUT, { $floor: { $divide: ['$$room', 2] } }] }
  const hold = {
    call_id: { $literal: call_id },
    tokens: { $add: [prompt, { $min: [output, '$$room', share] }] },
    until,
  }
  return {
    $let: {
      vars: { room: { $subtract: [quota - prompt, { $add: [used, { $sum: '$holds.tokens' }] }] } },
      in: {
        $cond: [
          { $gte: ['$$room', { $cond: [{ $eq: ['$holds', []] }, 1, useful] }] },
          { $concatArrays: ['$holds', [hold]] },
          '$holds',
        ],
      },
    },
  }
}
