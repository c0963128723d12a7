import type { QuotaWindow } from './schemas.ts'

/** The time spans that a usage report can cover. */
export const USAGE_WINDOWS = ['today', 'yesterday', 'last_7d', 'last_30d', 'this_month', 'all'] as const

export type UsageWindow = (typeof USAGE_WINDOWS)[number]

const DAY_SECONDS = 86_400

/** Returns the UTC day of a time in Unix seconds, as YYYY-MM-DD. */
export const toDay = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

/** Returns the UTC month of a time in Unix seconds, as YYYY-MM. */
export const toMonth = (seconds: number): string => toDay(seconds).slice(0, 7)

/** Returns a span of whole UTC days in Unix seconds, `from` included, `to` excluded; the current day ends now. */
export function toSpan(window: UsageWindow, now: number): { from: number | null; to: number } {
  const today = now - (now % DAY_SECONDS)
  // Includes what ends within the current second.
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
    case 'this_month':
      return { from: Date.parse(`${toMonth(now)}-01`) / 1000, to }
    case 'all':
      return { from: null, to }
  }
}

/** Returns the time in Unix seconds at which a quota's count starts again at zero; null if never. */
export function nextReset(window: QuotaWindow, now: number): number | null {
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
