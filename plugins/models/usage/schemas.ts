import { budgetState, costRow, nullable, objectOf, pageQuery, rowOf, type TypeOf } from '#plugin-api'
import { USAGE_WINDOWS } from './periods.ts'

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const
const second = { type: 'integer', description: 'Unix seconds' } as const

const window = {
  title: 'UsageWindow',
  enum: USAGE_WINDOWS,
  description:
    'Whole days in UTC: last_7d is today and the six days before, this_month begins on its first day',
} as const
const granularity = {
  title: 'UsageGranularity',
  enum: ['total', 'by_day', 'by_agent', 'by_model'],
  description: 'The buckets of the report',
} as const

const questions = {
  window: { ...window, default: 'last_30d' },
  granularity: { ...granularity, default: 'by_day' },
  agent_id: { ...text, maxLength: 64, description: 'Only calls of this agent, by its id' },
  thread_id: { ...text, maxLength: 64, description: 'Only calls of this conversation, by its id' },
} as const

export const usageQuery = objectOf(questions)

export const accountUsageQuery = objectOf({
  ...questions,
  username: { ...text, maxLength: 64, description: 'Only calls of this account' },
  user_ids: {
    ...text,
    maxLength: 8192,
    pattern: '^\\w+(,\\w+)*$',
    description: 'Only calls of these accounts, by their ids, separated by commas',
    examples: ['01KDVMF00000000000000000AD,01KDVMF00000000000000000AE'],
  },
  limit: pageQuery.limit,
  offset: {
    type: 'integer',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'The number of accounts to skip',
  },
})

const sums = {
  input_tokens: { ...count, examples: [41_200] },
  cached_input_tokens: { ...count, description: 'Of the input tokens', examples: [30_100] },
  output_tokens: { ...count, examples: [7010] },
  reasoning_tokens: { ...count, description: 'Of the output tokens', examples: [2400] },
  total_tokens: { ...count, description: 'Input and output; quotas count these', examples: [48_210] },
  estimated_tokens: {
    ...count,
    description: 'Of the total tokens, those of calls whose upstream reported none',
    examples: [0],
  },
  model_calls: { ...count, examples: [37] },
  pictures: { ...count, description: 'Pictures drawn; missing without any', examples: [2] },
  characters: { ...count, description: 'Characters spoken; missing without any', examples: [1200] },
  seconds: { ...count, description: 'Seconds of audio transcribed; missing without any', examples: [95] },
  searches: {
    ...count,
    description: 'Searches of the web with a price; missing without any',
    examples: [12],
  },
  cost: {
    ...costRow,
    description: 'What the model calls and searches with a known price cost; null if none has one',
  },
  unpriced_calls: { ...count, description: 'Model calls without a known price', examples: [0] },
  unpriced_tokens: { ...count, description: 'Of the total tokens, those of these calls', examples: [0] },
} as const

/** The sums that a report has only if there is something to sum up. */
const extras = ['pictures', 'characters', 'seconds', 'searches'] as const

const usageSums = { title: 'UsageSums', ...rowOf(sums, extras) } as const

const usageBucket = {
  title: 'UsageBucket',
  ...rowOf(
    {
      key: {
        ...text,
        description: 'A day (YYYY-MM-DD), the id of an agent, `<provider>:<model>`, or `total`',
        examples: ['01KDVMF00000000000000000AG'],
      },
      label: { ...text, description: 'The name of the agent, if it still exists', examples: ['numbers'] },
      ...sums,
    },
    ['label', ...extras],
  ),
} as const

const quotaWindow = {
  title: 'QuotaWindow',
  enum: ['all', 'day', 'month'],
  description: 'For all time, or a UTC day or month',
} as const

export type BudgetState = TypeOf<typeof budgetState>

const quotaRow = {
  title: 'Quota',
  ...rowOf({
    token_quota: {
      ...nullable({ ...count, examples: [5_000_000] }),
      description: 'Tokens in a window; null for no limit',
    },
    window: quotaWindow,
    used: { ...count, description: 'Tokens used in the current window', examples: [48_210] },
    reserved: { ...count, description: 'Reserved for running calls', examples: [0] },
    remaining: {
      ...nullable(count),
      description: 'The unused part of the quota; null without a quota',
      examples: [4_951_790],
    },
    resets_at: {
      ...nullable(second),
      description: 'The end of the current window in Unix seconds; null if it never ends',
    },
  }),
} as const

export type QuotaWindow = TypeOf<typeof quotaWindow>
export type QuotaRow = TypeOf<typeof quotaRow>

const report = {
  window: { ...window, examples: ['last_7d'] },
  granularity: { ...granularity, examples: ['by_agent'] },
  from: {
    ...nullable(second),
    description: 'Unix seconds; null if the window has no start',
    examples: [1_766_707_200],
  },
  to: {
    ...second,
    description: 'Unix seconds; the report covers calls that ended before',
    examples: [1_767_229_200],
  },
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
  ...rowOf({
    ...report,
    quota: quotaRow,
    budget: { ...nullable(budgetState), description: 'The state of your budget; null without one' },
  }),
} as const

const moment = {
  ...text,
  maxLength: 32,
  pattern: '^(\\d{1,12}|\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?(Z|[+-]\\d\\d:\\d\\d))?)$',
  examples: ['2026-01-31'],
} as const

export const exportQuery = objectOf({
  from: { ...moment, description: 'Unix seconds, or an ISO date or time: a date begins at midnight in UTC' },
  to: { ...moment, description: 'Excluded; a date includes its day. Now by default' },
  by: {
    title: 'UsageExportKey',
    enum: ['user', 'group', 'agent', 'model', 'day'],
    default: 'day',
    description: 'One row for each; by group, a member of two counts in both',
  },
  format: {
    title: 'UsageExportFormat',
    enum: ['csv', 'json'],
    default: 'csv',
    description: 'CSV for spreadsheets, or JSON',
  },
  username: {
    ...text,
    maxLength: 64,
    description: 'Only calls of this account; those who are no administrators see their own anyway',
  },
})

const exportRow = {
  title: 'UsageExportRow',
  ...rowOf({
    key: {
      ...text,
      description:
        'A day (YYYY-MM-DD, in UTC), the id of an account, a group or an agent, or `<provider>:<model>`; empty for accounts in no group',
      examples: ['2026-01-31'],
    },
    name: {
      ...nullable({ ...text, examples: ['ada'] }),
      description: 'A username, or the name of a group or an agent; null if there is none',
    },
    calls: { ...count, examples: [37] },
    input_tokens: sums.input_tokens,
    cached_input_tokens: sums.cached_input_tokens,
    output_tokens: sums.output_tokens,
    reasoning_tokens: sums.reasoning_tokens,
    total_tokens: { ...count, examples: [48_210] },
    cost: {
      ...nullable({ type: 'number', minimum: 0, examples: [0.42] } as const),
      description: 'Of the calls with a known price; null if none has one',
    },
    currency: { ...text, examples: ['USD'] },
    unpriced_calls: sums.unpriced_calls,
  }),
} as const

/** The reply of an export in JSON. */
export const exportRows = { type: 'array', items: exportRow } as const

export type ExportRow = TypeOf<typeof exportRow>

const accountUsage = {
  title: 'AccountUsage',
  ...rowOf(
    {
      username: { ...text, examples: ['ada'] },
      user_id: text,
      token_quota: { ...nullable({ ...count, examples: [5_000_000] }), description: 'Null for no limit' },
      quota_used: { ...count, description: 'In the current window of quotas', examples: [48_210] },
      ...sums,
    },
    extras,
  ),
} as const

export const accountUsageReport = {
  title: 'AccountUsageReport',
  ...rowOf({ ...report, accounts: { type: 'array', items: accountUsage } }),
} as const

export type UsageGranularity = TypeOf<typeof granularity>
export type UsageSums = TypeOf<typeof usageSums>
export type UsageBucket = TypeOf<typeof usageBucket>
export type AccountUsage = TypeOf<typeof accountUsage>
