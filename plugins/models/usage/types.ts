import type { MediaUsage, TokenUsage } from '#plugin-api'
import type { Budget } from '../../identity/users/types.ts'
import type { ModelPurpose } from '../providers/types.ts'
import type { BudgetWindow } from './budget-windows.ts'
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

/** The tokens and the money that a running call may take, until a time in Unix milliseconds at most. */
export interface Hold {
  call_id: string
  tokens: number
  /** In billionths; missing if the price of the model is not known. */
  cost?: number
  until: number
}

/** The money that was spent in a window of a budget. */
export interface SpentWindow {
  /** Unix seconds. */
  from: number
  until: number
  /** In billionths. */
  amount: number
  /** The event `budget.warned` was emitted. */
  warned?: true
}

/** The money that was spent in the newest day, week and month that have any use. */
export interface SpentAmounts extends Record<BudgetWindow, SpentWindow> {
  currency: string
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
  /** Counts the batches of the writer. */
  number: number
  /** Unix milliseconds. */
  at: number
  rows: UsageDocument[]
}

/** A warning that webhooks have not heard of; `at` is Unix milliseconds. */
export interface UnreportedWarning extends AppliedBudget {
  id: string
  at: number
  spent: number
  resets_at: number
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
  spent?: SpentAmounts
  batches?: ChargedBatch[]
  /** The time of the last charge, in Unix milliseconds. */
  changed_at?: number
  unreported?: UnreportedWarning[]
}

/** The batches of a writer that are part of what the server has spent: all before `batch`, and of it, these accounts. */
export interface CountedBatches {
  writer: string
  batch: number
  /** True if all accounts of the batch are counted. */
  is_whole: boolean
  user_ids: string[]
  /** Unix milliseconds. */
  at: number
}

/**
 * The money that all accounts have spent together, and the server's budget; there is one document. It follows from the
 * counters of accounts, whose batches it counts once.
 */
export interface ServerCounterDocument {
  _id: 'server'
  budget?: Budget
  holds?: Hold[]
  spent?: SpentAmounts
  counted?: CountedBatches[]
  /** Batches of writers that are not in `counted` were counted up to this time, in Unix milliseconds. */
  forgotten_at?: number
  unreported?: UnreportedWarning[]
}

/** A budget of an account, of which at most one applies, or of the server. */
export interface AppliedBudget {
  budget: { amount: number; window: BudgetWindow; currency: string }
  scope: 'account' | 'group' | 'server'
}

declare module '../../operation/signals/types.ts' {
  interface Facts {
    /** The budget of the server has changed. */
    'usage.budget': Record<string, never>
  }
}

declare module '#kernel/types' {
  interface Collections {
    usage: {
      usage: UsageDocument
      usage_counters: UsageCounterDocument
      server_spending: ServerCounterDocument
    }
  }
  interface Events {
    /** Four fifths of a budget are spent; once a window. `user_id` is null for the budget of the server. */
    'budget.warned': AppliedBudget & { user_id: string | null; spent: number; resets_at: number }
  }
  interface ExtensionPoints {
    /** The period that quotas apply to. At most one plugin answers; without an answer they apply to all time. */
    'usage.quota_window': (question: object) => QuotaWindow
  }
}
