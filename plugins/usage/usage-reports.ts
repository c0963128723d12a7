import type { Filter } from 'mongodb'
import type { Cradle } from './manifest.ts'
import { spanOf, type UsageWindow } from './periods.ts'
import type { AccountUsage, UsageBucket, UsageGranularity, UsageSums } from './schemas.ts'
import type { UsageDocument } from './types.ts'

/** What is asked for, of one account or of all. */
export interface UsageQuestion {
  window: UsageWindow
  granularity: UsageGranularity
  agent_id?: string
  user_id?: string
}

/** Sums over the calls of models. */
export type UsageReports = ReturnType<typeof createUsageReports>

const KEYS = {
  total: { $literal: 'total' },
  by_day: '$day',
  by_agent: '$agent_id',
  by_model: '$model',
} as const satisfies Record<UsageGranularity, unknown>

const NOTHING: Readonly<UsageSums> = {
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_tokens: 0,
  total_tokens: 0,
  model_calls: 0,
}
const NAMES = Object.keys(NOTHING) as (keyof UsageSums)[]
/** Of sums that are there already. */
const TOTALS = Object.fromEntries(NAMES.map((name) => [name, { $sum: `$${name}` }]))
const SUMS = { ...TOTALS, model_calls: { $sum: 1 } }

/** The most days, agents or models that a report tells apart. */
const MOST_BUCKETS = 500

/** Days in order, the last of them; all others from the most tokens on. */
const ORDERS = {
  by_day: [{ $sort: { _id: -1 } }, { $limit: MOST_BUCKETS }, { $sort: { _id: 1 } }],
  others: [{ $sort: { total_tokens: -1, _id: 1 } }, { $limit: MOST_BUCKETS }],
} as const

/** Makes what sums up the ledger of model calls. */
export function createUsageReports({
  collections: { usage },
  usageCounters,
  usageRecords,
  agents,
  users,
  clock,
}: Pick<Cradle, 'collections' | 'usageCounters' | 'usageRecords' | 'agents' | 'users' | 'clock'>) {
  const filterOf = ({ window, agent_id, user_id }: UsageQuestion): Filter<UsageDocument> => {
    const { from, to } = spanOf(window, clock.seconds())
    return {
      ...(user_id !== undefined && { user_id }),
      ...(agent_id !== undefined && { agent_id }),
      ts: { ...(from !== null && { $gte: from }), $lt: to },
    }
  }

  const readSums = async (
    question: UsageQuestion,
  ): Promise<{ totals: UsageSums; buckets: UsageBucket[] }> => {
    const { granularity } = question
    const order = granularity === 'by_day' ? ORDERS.by_day : ORDERS.others
    const [found] = await usage
      .aggregate<{ totals: UsageSums[]; buckets: UsageBucket[] }>([
        { $match: filterOf(question) },
        { $group: { _id: KEYS[granularity], ...SUMS } },
        {
          $facet: {
            totals: [{ $group: { _id: null, ...TOTALS } }, { $unset: '_id' }],
            buckets: [...order, { $set: { key: '$_id' } }, { $unset: '_id' }],
          },
        },
      ])
      .toArray()
    const { totals, buckets } = found!
    return { totals: totals[0] ?? { ...NOTHING }, buckets: await labelled(buckets, granularity) }
  }

  const labelled = async (buckets: UsageBucket[], granularity: UsageGranularity): Promise<UsageBucket[]> => {
    if (granularity !== 'by_agent') return buckets
    const names = await agents.listNames(buckets.map(({ key }) => key))
    return buckets.map((bucket) => {
      const label = names.get(bucket.key)
      return { ...bucket, ...(label !== undefined && { label }) }
    })
  }

  return {
    /** The calls of a window together, and by what was asked for; with those that have just ended. */
    async read(question: UsageQuestion) {
      const { window, granularity } = question
      await usageRecords.stored()
      return { window, granularity, ...spanOf(window, clock.seconds()), ...(await readSums(question)) }
    },

    /** The accounts with calls in a window, those with the most tokens first; of one account, it in any case. */
    async listAccounts(
      question: UsageQuestion,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<AccountUsage[]> {
      const { user_id } = question
      const found = await usage
        .aggregate<UsageSums & { _id: string }>([
          { $match: filterOf(question) },
          { $group: { _id: '$user_id', ...SUMS } },
          { $sort: { total_tokens: -1, _id: 1 } },
          { $skip: offset },
          { $limit: limit },
        ])
        .toArray()
      if (user_id !== undefined && found.length === 0 && offset === 0)
        found.push({ _id: user_id, ...NOTHING })
      const user_ids = found.map(({ _id }) => _id)
      const [accounts, uses] = await Promise.all([
        users.listByIds(user_ids),
        usageCounters.listUses(user_ids),
      ])
      return found.flatMap(({ _id, ...sums }) => {
        const account = accounts.find((user) => user._id === _id)
        // One that is being deleted.
        if (!account) return []
        const { username, token_quota } = account
        return [{ username, user_id: _id, token_quota, quota_used: uses.get(_id)?.used ?? 0, ...sums }]
      })
    },
  }
}
