import { Cron } from 'croner'
import type { Budget } from '../../identity/users/types.ts'

/** The windows of budgets. */
export const BUDGET_WINDOWS = ['day', 'week', 'month'] as const

export type BudgetWindow = Budget['window']

/** A window that contains a time, and the end of the window after it, in Unix seconds. */
export interface BudgetSpan {
  from: number
  until: number
  next: number
}

/** The local times at which windows begin: every midnight, every Monday, the first of every month. */
const BEGINNINGS: Record<BudgetWindow, string> = { day: '0 0 * * *', week: '0 0 * * 1', month: '0 0 1 * *' }

const DAY_SECONDS = 86_400
/** A time after which at least one window of each kind begins before the present. */
const LONGEST: Record<BudgetWindow, number> = {
  day: 3 * DAY_SECONDS,
  week: 9 * DAY_SECONDS,
  month: 33 * DAY_SECONDS,
}

/** The most spans in memory: one for each zone and window. */
const MAX_SPANS = 2000

const spans = new Map<string, BudgetSpan>()

/** Returns the window of a time zone that contains a time in Unix seconds, correct across daylight saving. */
export function findSpan(window: BudgetWindow, timezone: string, seconds: number): BudgetSpan {
  const key = `${window} ${timezone}`
  const recent = spans.get(key)
  if (recent && recent.from <= seconds && seconds < recent.until) return recent
  const beginnings = new Cron(BEGINNINGS[window], { timezone, paused: true })
  const nextAfter = (time: number) => beginnings.nextRun(new Date(time * 1000))!.getTime() / 1000
  let from = nextAfter(seconds - LONGEST[window])
  let until = nextAfter(from)
  while (until <= seconds) [from, until] = [until, nextAfter(until)]
  const span = { from, until, next: nextAfter(until) }
  if (spans.size >= MAX_SPANS) spans.clear()
  spans.set(key, span)
  return span
}

/** Writes a time in Unix seconds as a person of the time zone reads it, such as `2026-12-01 00:00 (Europe/Berlin)`. */
export function toLocalTime(seconds: number, timezone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
  return `${format.format(seconds * 1000)} (${timezone})`
}
