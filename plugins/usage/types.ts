import type { TokenUsage } from '#plugin-api'
import type { ModelPurpose } from '../providers/types.ts'
import type { QuotaWindow } from './schemas.ts'

/** One model call that took tokens; `_id` is its `call_id`. */
export interface UsageDocument extends TokenUsage {
  _id: string
  user_id: string
  agent_id: string
  thread_id: string | null
  /** `<provider>:<model>`. */
  model: string
  provider: string
  purpose: ModelPurpose
  /** The upstream did not say what it took. */
  is_estimated: boolean
  /** When it ended, in Unix seconds. */
  ts: number
  /** The same as YYYY-MM-DD, in UTC. */
  day: string
}

/** Tokens that a call under way may take, until a time in Unix milliseconds at most. */
export interface Hold {
  call_id: string
  tokens: number
  until: number
}

/** What was used in the newest day or month in which anything was. */
export interface PeriodCount {
  /** YYYY-MM-DD or YYYY-MM, in UTC. */
  key: string
  used: number
}

/** What a writer charged last, kept so that it is neither charged twice nor missing among the rows. */
export interface ChargedBatch {
  _id: string
  writer: string
  /** Unix milliseconds. */
  at: number
  rows: UsageDocument[]
}

/**
 * What an account has used; `_id` is the account's. Each batch of calls is charged in one update, with which it is
 * durable: its rows and the account's `tokens_used` follow from here. An account that was only refused has no numbers.
 */
export interface UsageCounterDocument {
  _id: string
  holds: Hold[]
  total?: number
  day?: PeriodCount
  month?: PeriodCount
  batches?: ChargedBatch[]
  /** When it was charged last, in Unix milliseconds. */
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
    'usage.quota_window': (asked: object) => QuotaWindow
  }
}
