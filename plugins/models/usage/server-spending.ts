import type { Write } from '#plugin-api'
import type { Budget } from '../../identity/users/types.ts'
import type { Cradle } from './manifest.ts'
import { KEPT_MS, liveHolds, NOT_IN_JOURNAL, reservationOf, type Use, type Wish } from './reservation.ts'
import { listCosts, readWindow, spentNow, toSpentUpdate } from './spent-windows.ts'
import type {
  ChargedBatch,
  CountedBatches,
  ServerCounterDocument,
  UnreportedWarning,
  UsageDocument,
} from './types.ts'
import { toUnreported } from './unreported-warnings.ts'

/** The time after which the last batch of a writer is forgotten: longer than accounts keep it, in milliseconds. */
const FORGOTTEN_MS = 2 * KEPT_MS

const ID = 'server' as const

/** The costs of one account in a batch. */
export interface BatchPart {
  user_id: string
  rows: readonly UsageDocument[]
}

/** The money that all accounts spend together, and the budget of the server. */
export type ServerSpending = ReturnType<typeof createServerSpending>

/** Creates the counter of the server, one document. */
export function createServerSpending({
  collections: { server_spending: counters },
  config: { currency, timezone },
  clock,
}: Pick<Cradle, 'collections' | 'config' | 'clock'>) {
  const settings = { timezone, currency }
  /** The calls of this process that have a reservation here. */
  const reservedCalls = new Set<string>()
  let budget: Budget | null = null

  const readUse = (
    { spent, holds = [] }: Pick<ServerCounterDocument, 'spent' | 'holds'>,
    budget: Budget,
  ): Use => {
    const { amount, until } = readWindow(spent, budget, clock.seconds(), settings)
    const live = holds.filter(({ until }) => until > clock.now())
    return {
      used: 0,
      reserved: 0,
      spent: amount,
      reserved_cost: live.reduce((sum, { cost = 0 }) => sum + cost, 0),
      resets_at: until,
    }
  }

  /** Returns the write that counts parts of a batch which were not counted before, and releases reservations. */
  const toUpdate = (
    { writer, number, at }: Pick<ChargedBatch, 'writer' | 'number' | 'at'>,
    parts: readonly BatchPart[],
    { is_whole, ended = [] }: { is_whole: boolean; ended?: readonly string[] },
  ) => {
    const now = clock.now()
    const costs = parts.map(({ user_id, rows }) => ({ user_id, costs: listCosts(rows, currency) }))
    const last = Math.max(...costs.flatMap(({ costs }) => costs.map(({ ts }) => ts)))
    const counted = { $ifNull: ['$counted', []] }
    const entry = {
      $first: { $filter: { input: counted, cond: { $eq: ['$$this.writer', { $literal: writer }] } } },
    }
    const isNewer = { $lt: [{ $ifNull: ['$$entry.batch', -1] }, number] }
    const isForgotten = {
      $and: [
        { $eq: [{ $ifNull: ['$$entry.batch', null] }, null] },
        { $lte: [at, { $ifNull: ['$forgotten_at', 0] }] },
      ],
    }
    const isOpen = { $not: { $in: ['$$this.user_id', { $ifNull: ['$$entry.user_ids', []] }] } }
    const remaining = { $filter: { input: { $literal: costs }, cond: isOpen } }
    const isPartOfSame = { $and: [{ $eq: ['$$entry.batch', number] }, { $not: '$$entry.is_whole' }] }
    const open = {
      $cond: [
        { $and: [isNewer, { $not: isForgotten }] },
        { $literal: costs },
        { $cond: [isPartOfSame, remaining, []] },
      ],
    }
    const user_ids = is_whole ? [] : parts.map(({ user_id }) => user_id)
    const joined = {
      writer: { $literal: writer },
      batch: number,
      is_whole: { $or: [is_whole, { $and: [{ $not: isNewer }, '$$entry.is_whole'] }] },
      user_ids: { $cond: [isNewer, user_ids, { $setUnion: ['$$entry.user_ids', user_ids] }] },
      at,
    }
    const isPast = { $gt: [{ $ifNull: ['$$entry.batch', -1] }, number] }
    const others = {
      $filter: {
        input: counted,
        cond: {
          $and: [
            { $ne: ['$$this.writer', { $literal: writer }] },
            { $gt: ['$$this.at', now - FORGOTTEN_MS] },
          ],
        },
      },
    }
    return [
      {
        $set: {
          counting: {
            $let: {
              vars: { entry },
              in: {
                $reduce: {
                  input: open,
                  initialValue: [],
                  in: { $concatArrays: ['$$value', '$$this.costs'] },
                },
              },
            },
          },
        },
      },
      {
        $set: {
          ...(Number.isFinite(last) && {
            spent: toSpentUpdate('$counting', last, settings),
            counted: {
              $let: {
                vars: { entry },
                in: { $concatArrays: [others, [{ $cond: [isPast, '$$entry', joined] }]] },
              },
            },
            forgotten_at: { $max: ['$forgotten_at', now - FORGOTTEN_MS] },
          }),
          holds: liveHolds(now, ended),
        },
      },
      { $unset: 'counting' },
    ]
  }

  const isPriced = ({ rows }: BatchPart) => listCosts(rows, currency).length > 0

  const read = async (): Promise<ServerCounterDocument> =>
    (await counters.findOne({ _id: ID })) ?? { _id: ID }

  return {
    /** The budget as it was last read or set. */
    get budget(): Budget | null {
      return budget
    },
    isHeld: (call_id: string): boolean => reservedCalls.has(call_id),

    /** Reads the budget that this or another process has set. */
    async load(): Promise<void> {
      budget = (await read()).budget ?? null
    },

    /** Sets or removes the budget. */
    async setBudget(newBudget: Budget | null): Promise<void> {
      const update = newBudget ? { $set: { budget: newBudget } } : { $unset: { budget: true as const } }
      await counters.updateOne({ _id: ID }, update, { upsert: true })
      budget = newBudget
    },

    /** Reads what is spent and reserved in the window of a budget. */
    readUse: async (budget: Budget): Promise<Use> => readUse(await read(), budget),

    /** Reserves money of the budget for a call, like the reservation of an account. */
    async reserve(wish: Wish, budget: Budget): Promise<{ output: number } | Use> {
      const now = clock.now()
      reservedCalls.add(wish.call_id)
      const spent = spentNow(budget.window, clock.seconds(), currency)
      const holds = reservationOf(wish, { budget: { amount: budget.amount, spent }, until: now + KEPT_MS })
      const counter = (await counters.findOneAndUpdate(
        { _id: ID },
        [{ $set: { holds: liveHolds(now) } }, { $set: { holds } }],
        { upsert: true, returnDocument: 'after', projection: { counted: 0 }, ...NOT_IN_JOURNAL },
      ))!
      const hold = counter.holds?.find(({ call_id }) => call_id === wish.call_id)
      if (hold) return { output: hold.tokens - wish.prompt }
      reservedCalls.delete(wish.call_id)
      return readUse(counter, budget)
    },

    /** Returns the write that counts a batch of this process, or parts of it; none if there is nothing to write. */
    toWrites(
      batch: Pick<ChargedBatch, 'writer' | 'number' | 'at'>,
      parts: readonly (BatchPart & { ended: readonly string[] })[],
      { is_whole }: { is_whole: boolean },
    ): Write[] {
      const ended = parts.flatMap((part) => part.ended.filter((call_id) => reservedCalls.has(call_id)))
      if (ended.length === 0 && !parts.some(isPriced)) return []
      const update = toUpdate(batch, parts, { is_whole, ended })
      return [{ name: 'updateOne', namespace: counters.namespace, filter: { _id: ID }, update, upsert: true }]
    },

    /** Forgets the calls of a batch that was written. */
    noteEnded(call_ids: readonly string[]): void {
      for (const call_id of call_ids) reservedCalls.delete(call_id)
    },

    /** Returns the writes that count batches which a crashed process had charged to accounts only. */
    async toRecoveryWrites(batches: readonly { user_id: string; batch: ChargedBatch }[]): Promise<Write[]> {
      const { counted = [], forgotten_at = 0 } = await read()
      const entries = new Map<string, CountedBatches>(counted.map((entry) => [entry.writer, entry]))
      const isCounted = (user_id: string, { writer, number, at }: ChargedBatch) => {
        const entry = entries.get(writer)
        if (!entry) return at <= forgotten_at
        return (
          entry.batch > number ||
          (entry.batch === number && (entry.is_whole || entry.user_ids.includes(user_id)))
        )
      }
      return batches
        .filter(({ user_id, batch }) => isPriced({ user_id, rows: batch.rows }) && !isCounted(user_id, batch))
        .toSorted((one, other) => one.batch.number - other.batch.number)
        .map(({ user_id, batch }) => ({
          name: 'updateOne',
          namespace: counters.namespace,
          filter: { _id: ID },
          update: toUpdate(batch, [{ user_id, rows: batch.rows }], { is_whole: false }),
          upsert: true,
        }))
    },

    /** Notes that this warning about a window is given, for webhooks too; false if it was given before. */
    async noteWarning(budget: Budget, warning: UnreportedWarning): Promise<boolean> {
      const path = `spent.${budget.window}`
      const filter = { _id: ID, [`${path}.until`]: warning.resets_at, [`${path}.warned`]: { $ne: true } }
      const { modifiedCount } = await counters.updateOne(filter, {
        $set: { [`${path}.warned`]: true },
        $push: toUnreported(warning),
      })
      return modifiedCount === 1
    },
  }
}
