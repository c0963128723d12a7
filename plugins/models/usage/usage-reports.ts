import type { Cradle } from './manifest.ts'
import { toSpan, type UsageWindow } from './periods.ts'
import type { AccountUsage, UsageBucket, UsageGranularity, UsageSums } from './schemas.ts'
import { EXTRAS, NOTHING, readFilter, type StoredSums, sumsIn, TOTALS, toCost } from './usage-sums.ts'

/** The parameters of a report, about one account or all of them. */
interface UsageQuestion {
  window: UsageWindow
  granularity: UsageGranularity
  agent_id?: string
  thread_id?: string
  user_id?: string
  user_ids?: readonly string[]
}

/** The reports on the calls of models. */
export type UsageReports = ReturnType<typeof createUsageReports>

const KEYS = {
  total: { $literal: 'total' },
  by_day: '$day',
  by_agent: '$agent_id',
  by_model: '$model',
} as const satisfies Record<UsageGranularity, unknown>

/** Converts stored sums to the sums of a report, which leaves out extras that are zero. */
function toSums<Sums extends StoredSums>({ cost_billionths, ...sums }: Sums, currency: string) {
  const cleaned = { ...sums }
  for (const name of EXTRAS) if (!cleaned[name]) delete cleaned[name]
  return { ...cleaned, cost: toCost({ ...sums, cost_billionths }, currency) }
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
  config: { currency },
}: Pick<Cradle, 'collections' | 'usageCounters' | 'agents' | 'users' | 'clock' | 'config'>) {
  const SUMS = sumsIn(currency)
  const toFilter = ({ window, granularity, user_ids, ...filter }: UsageQuestion) => {
    const { from, to } = toSpan(window, clock.seconds())
    const span = readFilter({ ...filter, ...(from !== null && { from }), to }, clock.seconds())
    return user_ids ? { $and: [{ user_id: { $in: [...user_ids] } }, span] } : span
  }

  const readSums = async (
    question: UsageQuestion,
  ): Promise<{ totals: UsageSums; buckets: UsageBucket[] }> => {
    const { granularity } = question
    const order = granularity === 'by_day' ? ORDERS.by_day : ORDERS.others
    const [report] = await usage
      .aggregate<{ totals: StoredSums[]; buckets: (StoredSums & { key: string })[] }>([
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
      totals: toSums(totals[0] ?? { ...NOTHING }, currency),
      buckets: await labelled(
        buckets.map((bucket) => toSums(bucket, currency)),
        granularity,
      ),
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
        .aggregate<StoredSums & { _id: string }>([
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
        usageCounters.listUses(user_ids.map((user_id) => ({ user_id, budget: null, timezone: null }))),
      ])
      return rows.flatMap(({ _id, ...sums }) => {
        const account = accounts.find((user) => user._id === _id)
        // The account is being deleted.
        if (!account) return []
        const { username, token_quota } = account
        const quota_used = uses.get(_id)?.used ?? 0
        return [{ username, user_id: _id, token_quota, quota_used, ...toSums(sums, currency) }]
      })
    },
  }
}
