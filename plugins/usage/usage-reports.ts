import type { Filter } from 'mongodb'
import type { Cradle } from '#kernel'
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
const SUMS = {
  ...Object.fromEntries(NAMES.map((name) => [name, { $sum: `$${name}` }])),
  model_calls: { $sum: 1 },
}

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

  const readBuckets = async (question: UsageQuestion): Promise<UsageBucket[]> => {
    const { granularity } = question
    const buckets = await usage
      .aggregate<UsageBucket>([
        { $match: filterOf(question) },
        { $group: { _id: KEYS[granularity], ...SUMS } },
        { $sort: granularity === 'by_day' ? { _id: 1 } : { total_tokens: -1, _id: 1 } },
        { $set: { key: '$_id' } },
        { $unset: '_id' },
      ])
      .toArray()
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
      const buckets = await readBuckets(question)
      const totals = { ...NOTHING }
      for (const bucket of buckets) for (const name of NAMES) totals[name] += bucket[name]
      return { window, granularity, ...spanOf(window, clock.seconds()), totals, buckets }
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
