import type { MediaUsage, TokenUsage } from '#plugin-api'
import type { ModelPurpose } from '../providers/types.ts'
import type { QuotaWindow } from './schemas.ts'

/** One model call that took tokens; `_id` is its `call_id`. Measures that a call does not have are missing. */
export interface UsageDocument extends Omit<TokenUsage, 'cost'>, MediaUsage {
  _id: string
  user_id: string
  agent_id: string
  thread_id: string | null
  /** `<provider>:<model>`. */
  model: string
  provider: string
  purpose: ModelPurpose
  /** In whole billionths of `currency`; missing if the price of the model is not known. */
  cost_billionths?: number
  currency?: string
  /** The upstream did not report the tokens. */
  is_estimated: boolean
  /** The time at which the call ended, in Unix seconds. */
  ts: number
  /** The day of `ts` as YYYY-MM-DD, in UTC. */
  day: string
}

/** Tokens that a running call may take, until a time in Unix milliseconds at most. */
export interface Hold {
  call_id: string
  tokens: number
  until: number
}

/** The tokens used in the newest day or month that has any use. */
export interface PeriodCount {
  /** YYYY-MM-DD or YYYY-MM, in UTC. */
  key: string
  used: number
}

/** The last charge of a writer, kept so that it is neither charged twice nor missing among the rows. */
export interface ChargedBatch {
  _id: string
  writer: string
  /** Unix milliseconds. */
  at: number
  rows: UsageDocument[]
}

/**
 * The tokens that an account has used; `_id` is the account's. Each batch of calls is charged in one update, which
 * makes it durable: its rows and the account's `tokens_used` follow from here. An account whose calls were all refused
 * has no numbers.
 */
export interface UsageCounterDocument {
  _id: string
  holds: Hold[]
  total?: number
  day?: PeriodCount
  month?: PeriodCount
  batches?: ChargedBatch[]
  /** The time of the last charge, in Unix milliseconds. */
  changed_at?: number
}

declare module '#kernel/types' {
  interface Collections {
    usage: {
      usage: UsageDocument
      usage_counters: UsageCounterDocument
    }
  }
  interface ExtensionPoints {
    /** The period that quotas apply to. At most one plugin answers; without an answer they apply to all time. */
    'usage.quota_window': (question: object) => QuotaWindow
  }
}
