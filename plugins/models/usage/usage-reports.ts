import type { Filter } from 'mongodb'
import type { Cradle } from './manifest.ts'
import { toSpan, type UsageWindow } from './periods.ts'
import type { AccountUsage, UsageBucket, UsageGranularity, UsageSums } from './schemas.ts'
import type { UsageDocument } from './types.ts'

/** The parameters of a report, about one account or all of them. */
interface UsageQuestion {
  window: UsageWindow
  granularity: UsageGranularity
  agent_id?: string
  user_id?: string
}

/** The reports on the calls of models. */
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
  estimated_tokens: 0,
  model_calls: 0,
}
/** The sums that a report has only if there is something to sum up. */
const EXTRAS = ['pictures', 'characters', 'seconds', 'cost'] as const

const NAMES = [...(Object.keys(NOTHING) as (keyof UsageSums)[]), ...EXTRAS]
/** Adds up sums of groups. */
const TOTALS = Object.fromEntries(NAMES.map((name) => [name, { $sum: `$${name}` }]))
const SUMS = {
  ...TOTALS,
  estimated_tokens: { $sum: { $cond: ['$is_estimated', '$total_tokens', 0] } },
  model_calls: { $sum: 1 },
}

/** A fraction of a cent that sums of fractions do not blur. */
const COST_DIGITS = 6

/** Leaves out the extras that are zero. */
function withoutZeros<Sums extends UsageSums>(sums: Sums): Sums {
  const cleaned = { ...sums }
  for (const name of EXTRAS) if (!cleaned[name]) delete cleaned[name]
  if (cleaned.cost !== undefined) cleaned.cost = Number(cleaned.cost.toFixed(COST_DIGITS))
  return cleaned
}

/** The most days, agents or models that a report lists. */
const MAX_BUCKETS = 500

/** Days come in order, of which the last ones are cleaned; everything else is sorted by tokens, largest first. */
const ORDERS = {
  by_day: [{ $sort: { _id: -1 } }, { $limit: MAX_BUCKETS }, { $sort: { _id: 1 } }],
  others: [{ $sort: { total_tokens: -1, _id: 1 } }, { $limit: MAX_BUCKETS }],
} as const

/** Creates the reports. */
export function createUsageReports({
  collections: { usage },
  usageCounters,
  agents,
  users,
  clock,
}: Pick<Cradle, 'collections' | 'usageCounters' | 'agents' | 'users' | 'clock'>) {
  const toFilter = ({ window, agent_id, user_id }: UsageQuestion): Filter<UsageDocument> => {
    const { from, to } = toSpan(window, clock.seconds())
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
    const [report] = await usage
      .aggregate<{ totals: UsageSums[]; buckets: UsageBucket[] }>([
        { $match: toFilter(question) },
        { $group: { _id: KEYS[granularity], ...SUMS } },
        {
          $facet: {
            totals: [{ $group: { _id: null, ...TOTALS } }, { $unset: '_id' }],
            buckets: [...order, { $set: { key: '$_id' } }, { $unset: '_id' }],
          },
        },
      ])
      .toArray()
    const { totals, buckets } = report!
    return {
      totals: withoutZeros(totals[0] ?? { ...NOTHING }),
      buckets: (await labelled(buckets, granularity)).map(withoutZeros),
    }
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
    /** Sums up the calls of a window, in total and by granularity, including calls that have just ended. */
    async read(question: UsageQuestion) {
      const { window, granularity } = question
      return { window, granularity, ...toSpan(window, clock.seconds()), ...(await readSums(question)) }
    },

    /**
     * Lists the accounts with calls in a window, sorted by tokens, largest first. An account asked for by id is always
     * listed.
     */
    async listAccounts(
      question: UsageQuestion,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<AccountUsage[]> {
      const { user_id } = question
      const rows = await usage
        .aggregate<UsageSums & { _id: string }>([
          { $match: toFilter(question) },
          { $group: { _id: '$user_id', ...SUMS } },
          { $sort: { total_tokens: -1, _id: 1 } },
          { $skip: offset },
          { $limit: limit },
        ])
        .toArray()
      if (user_id !== undefined && rows.length === 0 && offset === 0) rows.push({ _id: user_id, ...NOTHING })
      const user_ids = rows.map(({ _id }) => _id)
      const [accounts, uses] = await Promise.all([
        users.listByIds(user_ids),
        usageCounters.listUses(user_ids),
      ])
      return rows.flatMap(({ _id, ...sums }) => {
        const account = accounts.find((user) => user._id === _id)
        // The account is being deleted.
        if (!account) return []
        const { username, token_quota } = account
        const quota_used = uses.get(_id)?.used ?? 0
        return [withoutZeros({ username, user_id: _id, token_quota, quota_used, ...sums })]
      })
    },
  }
}
