import { nullable, objectOf, rowOf, type TypeOf } from '#kernel'
import { pageQuery } from '#toolbox'
import { USAGE_WINDOWS } from './periods.ts'

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const
const second = { type: 'integer', description: 'Unix seconds' } as const

const window = {
  enum: USAGE_WINDOWS,
  description: 'Whole days in UTC: last_7d is today and the six days before',
} as const
const granularity = { enum: ['total', 'by_day', 'by_agent', 'by_model'] } as const

const questions = {
  window: { ...window, default: 'last_30d' },
  granularity: { ...granularity, default: 'by_day' },
  agent_id: { ...text, maxLength: 64, description: 'Only calls of this agent' },
} as const

export const usageQuery = objectOf(questions)

export const accountUsageQuery = objectOf({
  ...questions,
  username: { ...text, maxLength: 64, description: 'Only calls of this account' },
  limit: pageQuery.limit,
  offset: { type: 'integer', minimum: 0, default: 0 },
})

const sums = {
  input_tokens: count,
  cached_input_tokens: { ...count, description: 'Of the input tokens' },
  output_tokens: count,
  reasoning_tokens: { ...count, description: 'Of the output tokens' },
  total_tokens: { ...count, description: 'Input and output; quotas count these' },
  model_calls: count,
} as const

const usageSums = { title: 'UsageSums', ...rowOf(sums) } as const

const usageBucket = {
  title: 'UsageBucket',
  ...rowOf(
    {
      key: { ...text, description: 'A day (YYYY-MM-DD), the id of an agent, <provider>:<model>, or total' },
      label: { ...text, description: 'The name of the agent, if it still exists' },
      ...sums,
    },
    ['label'],
  ),
} as const

const quotaWindow = {
  enum: ['all', 'day', 'month'],
  description: 'For all time, or a UTC day or month',
} as const

const quotaRow = {
  title: 'Quota',
  ...rowOf({
    token_quota: nullable(count),
    window: quotaWindow,
    used: count,
    reserved: { ...count, description: 'Reserved for running calls' },
    remaining: nullable({ ...count, description: 'The unused part of the quota; null without a quota' }),
    resets_at: nullable(second),
  }),
} as const

export type QuotaWindow = TypeOf<typeof quotaWindow>
export type QuotaRow = TypeOf<typeof quotaRow>

const report = {
  window,
  granularity,
  from: nullable({ ...second, description: 'Unix seconds; null if the window has no start' }),
  to: { ...second, description: 'Unix seconds; the report covers calls that ended before' },
  totals: usageSums,
  buckets: {
    type: 'array',
    items: usageBucket,
    description:
      'Only buckets with calls, at most 500: the last days in order, all others sorted by tokens, largest first',
  },
} as const

export const usageReport = {
  title: 'UsageReport',
  ...rowOf({ ...report, quota: quotaRow }),
} as const

const accountUsage = {
  title: 'AccountUsage',
  ...rowOf({
    username: text,
    user_id: text,
    token_quota: nullable(count),
    quota_used: { ...count, description: 'In the current window of quotas' },
    ...sums,
  }),
} as const

export const accountUsageReport = {
  title: 'AccountUsageReport',
  ...rowOf({ ...report, accounts: { type: 'array', items: accountUsage } }),
} as const

export type UsageGranularity = TypeOf<typeof granularity>
export type UsageSums = TypeOf<typeof usageSums>
export type UsageBucket = TypeOf<typeof usageBucket>
export type AccountUsage = TypeOf<typeof accountUsage>
