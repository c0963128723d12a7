import type { components } from '#client'

export type TimeRule = components['schemas']['TimeRule']

/** The ways in which something repeats, as people choose them; `custom` is a cron expression that the other ways cannot say. */
export const REPEATS = ['day', 'weekdays', 'week', 'month', 'interval', 'once', 'custom'] as const
export type Repeats = (typeof REPEATS)[number]

/** The lengths of the units of an interval in seconds. */
export const UNITS = { minutes: 60, hours: 3_600, days: 86_400 } as const
export type Unit = keyof typeof UNITS

/** A rule as a form has it; fields that its `repeats` does not need keep what was entered. */
export interface RuleValues {
  repeats: Repeats
  /** A time of day: `08:30`. */
  time: string
  /** Days of the week; 0 is Sunday. */
  weekdays: number[]
  day: number
  count: number
  unit: Unit
  /** A time in the time zone of the browser: `2027-01-31T08:30`. */
  at: string
  cron: string
  timezone: string
}

/** The time zone of the browser. */
export const ownTimezone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The values with which the form of a new rule begins. */
export const newRule = (): RuleValues => ({
  repeats: 'weekdays',
  time: '08:30',
  weekdays: [1],
  day: 1,
  count: 1,
  unit: 'hours',
  at: toLocal(Date.now() + 3_600_000),
  cron: '30 8 * * 1-5',
  timezone: ownTimezone,
})

/** Reads a rule of the API into the values of its form. */
export function readRule(rule: TimeRule): RuleValues {
  const values = newRule()
  if ('at' in rule) return { ...values, repeats: 'once', at: toLocal(rule.at * 1000) }
  if ('every_seconds' in rule) {
    const unit = (['days', 'hours'] as const).find((unit) => rule.every_seconds % UNITS[unit] === 0)
    return {
      ...values,
      repeats: 'interval',
      unit: unit ?? 'minutes',
      count: rule.every_seconds / UNITS[unit ?? 'minutes'],
    }
  }
  return { ...values, ...rule, ...readCron(rule.cron) }
}

/** Writes the values of a form as a rule of the API. */
export function writeRule({ repeats, time, weekdays, day, ...values }: RuleValues): TimeRule {
  const { count, unit, at, cron, timezone } = values
  if (repeats === 'once') return { at: Math.floor(new Date(at).getTime() / 1000) || 0 }
  if (repeats === 'interval') return { every_seconds: Math.round(count * UNITS[unit]) }
  const [hour, minute] = time.split(':').map(Number)
  const days = {
    day: '* * *',
    weekdays: '* * 1-5',
    week: `* * ${weekdays.toSorted().join(',')}`,
    month: `${day} * *`,
    custom: '',
  }[repeats]
  return { cron: repeats === 'custom' ? cron : `${minute ?? 0} ${hour ?? 0} ${days}`, timezone }
}

/** The fields of a form for a cron expression: a time of day on some days, or as it is. */
function readCron(cron: string): Partial<RuleValues> {
  const [minute, hour, day, month, week, ...excess] = cron.trim().split(/\s+/)
  const isTime = isNumber(minute) && isNumber(hour) && month === '*' && excess.length === 0
  const time = `${hour?.padStart(2, '0')}:${minute?.padStart(2, '0')}`
  if (isTime && week === '*' && isNumber(day)) return { repeats: 'month', time, day: Number(day) }
  if (!isTime || day !== '*') return { repeats: 'custom' }
  if (week === '*') return { repeats: 'day', time }
  const weekdays = readWeek(week ?? '')
  if (!weekdays) return { repeats: 'custom' }
  if (weekdays.length === 7) return { repeats: 'day', time }
  if (weekdays.join('') === '12345') return { repeats: 'weekdays', time }
  return { repeats: 'week', time, weekdays }
}

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** Reads a list of days and ranges, such as `MON,5-7` or `FRI-MON`; returns undefined for anything else. */
function readWeek(week: string): number[] | undefined {
  const weekdays = new Set<number>()
  for (const part of week.toLowerCase().split(',')) {
    const ends = part.split('-').map((day) => (/^[0-7]$/.test(day) ? Number(day) : DAYS.indexOf(day)))
    if (ends.includes(-1) || ends.length > 2) return undefined
    const [from, to = from] = ends as [number, number?]
    const count = to - from + (to < from ? 8 : 1)
    for (let day = from; day < from + count; day += 1) weekdays.add(day % 7)
  }
  return [...weekdays].sort()
}

const isNumber = (part = '') => /^\d{1,2}$/.test(part)

/** A time in milliseconds as a field of a date and a time has it. */
function toLocal(ms: number): string {
  const date = new Date(ms)
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
