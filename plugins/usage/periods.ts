import type { QuotaWindow } from './schemas.ts'

/** The spans of time that usage can be asked for. */
export const USAGE_WINDOWS = ['today', 'yesterday', 'last_7d', 'last_30d', 'all'] as const

export type UsageWindow = (typeof USAGE_WINDOWS)[number]

const DAY_SECONDS = 86_400

/** The UTC day of a time in Unix seconds, as YYYY-MM-DD. */
export const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

/** The UTC month of a time in Unix seconds, as YYYY-MM. */
export const monthOf = (seconds: number): string => dayOf(seconds).slice(0, 7)

/** A span of whole UTC days, the last of them up to now, in Unix seconds: from `from`, before `to`. */
export function spanOf(window: UsageWindow, now: number): { from: number | null; to: number } {
  const today = now - (now % DAY_SECONDS)
  // What ends within this second belongs to it.
  const to = now + 1
  switch (window) {
    case 'today':
      return { from: today, to }
    case 'yesterday':
      return { from: today - DAY_SECONDS, to: today }
    case 'last_7d':
      return { from: today - 6 * DAY_SECONDS, to }
    case 'last_30d':
      return { from: today - 29 * DAY_SECONDS, to }
    case 'all':
      return { from: null, to }
  }
}

/** When what an account has used begins to count from nothing again, in Unix seconds; null if never. */
export function resetOf(window: QuotaWindow, now: number): number | null {
  const date = new Date(now * 1000)
  switch (window) {
    case 'all':
      return null
    case 'day':
      return now - (now % DAY_SECONDS) + DAY_SECONDS
    case 'month':
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000
  }
}
