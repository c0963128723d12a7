import { Cron } from 'croner'
import { AppError } from '#plugin-api'
import { splitWrappingRanges } from './cron-ranges.ts'
import type { ScheduleDocument, TimeRule } from './types.ts'

/** The number of times that a preview shows. */
const PREVIEWED = 5

/** Returns the first due time after a time, or null; intervals count from `anchor`. All are Unix seconds. */
export function nextDue(rule: TimeRule, after: number, anchor: number): number | null {
  if ('at' in rule) return rule.at > after ? rule.at : null
  if ('every_seconds' in rule) {
    const { every_seconds } = rule
    const passed = Math.max(0, Math.floor((after - anchor) / every_seconds))
    return anchor + (passed + 1) * every_seconds
  }
  const next = parseCron(rule.cron, rule.timezone).nextRun(new Date(after * 1000))
  return next && next.getTime() / 1000
}

/**
 * Returns the newest due time that has passed since the stored one; null if even that came before `since`. The span from
 * `since` to `now` must be short.
 */
export function newestDue(
  { schedule: rule, anchor, next_run_at }: Pick<ScheduleDocument, 'schedule' | 'anchor' | 'next_run_at'>,
  since: number,
  now: number,
): number | null {
  const isRecent = next_run_at !== null && next_run_at >= since
  let newest = isRecent ? next_run_at : nextDue(rule, since - 1, anchor)
  if (newest === null || newest > now) return null
  for (;;) {
    const next = nextDue(rule, newest, anchor)
    if (next === null || next > now) return newest
    newest = next
  }
}

/** Returns the next due times, at most PREVIEWED. Throws VALIDATION_FAILED if a rule is wrong or has none. */
export function previewTimes(rule: TimeRule, now: number): number[] {
  if ('at' in rule && rule.at <= now) throw refusal('at', 'future', 'must be in the future')
  if ('cron' in rule) assertCron(rule.cron, rule.timezone)
  const times: number[] = []
  for (
    let next = nextDue(rule, now, now);
    next !== null && times.length < PREVIEWED;
    next = nextDue(rule, next, now)
  )
    times.push(next)
  if (times.length === 0) throw refusal('cron', 'cron', 'never comes')
  return times
}

/** A list of times of day counts as fixed, like a single one: daylight saving neither skips nor repeats it. */
const parseCron = (cron: string, timezone?: string) =>
  new Cron(splitWrappingRanges(cron), {
    paused: true,
    mode: '5-part',
    fixedTimeRule: 'no-wildcard',
    timezone,
  })

function assertCron(cron: string, timezone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch {
    throw refusal('timezone', 'timezone', 'is not a known time zone')
  }
  try {
    parseCron(cron)
  } catch (error) {
    throw refusal('cron', 'cron', withoutValue((error as Error).message))
  }
}

/** The library repeats the whole expression in some of its messages. */
const withoutValue = (message: string) =>
  message
    .replace(/^CronPattern: /, '')
    .replace(/, but pattern '.*' has/, ', but there are')
    .replace(/ \('.*'\)/, '')

const refusal = (field: string, rule: string, message: string) =>
  new AppError('VALIDATION_FAILED', { issues: [{ path: `/schedule/${field}`, rule, message }] })
