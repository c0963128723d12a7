import { formatDate } from '../i18n/format.ts'
import { language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'
import { ownTimezone, readRule, type TimeRule } from './rule.ts'

const times = new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone: 'UTC' })
const longDays = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' })
const shortDays = new Intl.DateTimeFormat(language, { weekday: 'short', timeZone: 'UTC' })
const list = new Intl.ListFormat(language, { type: 'conjunction' })

/** A Sunday, from which days of the week are counted. */
const SUNDAY = Date.UTC(2023, 0, 1)
const DAY_MS = 86_400_000

/** The name of a day of the week; 0 is Sunday. */
export const nameDay = (day: number, style: 'long' | 'short' = 'long') =>
  (style === 'long' ? longDays : shortDays).format(SUNDAY + day * DAY_MS)

/** The days of a week in their order in this language. */
export const WEEK = language === 'zh' ? [1, 2, 3, 4, 5, 6, 0] : [0, 1, 2, 3, 4, 5, 6]

/** A rule in words: "Weekdays at 8:30 AM". */
export function describeRule(rule: TimeRule): string {
  const values = readRule(rule)
  const { repeats, time, weekdays, day, count, unit } = values
  if ('at' in rule) return t('schedules.words_once', { time: formatDate(rule.at) })
  if (repeats === 'interval') return t(`schedules.words_${unit as 'days' | 'hours' | 'minutes'}`, { count })
  const zone =
    values.timezone === ownTimezone
      ? ''
      : t('schedules.words_zone', { zone: values.timezone.replace(/_/g, ' ') })
  if (repeats === 'custom')
    return (describeCron(values.cron) ?? t('schedules.words_custom', { cron: values.cron })) + zone
  const [hour, minute] = time.split(':').map(Number)
  const names = {
    time: nameTime(hour!, minute!),
    days: list.format(WEEK.filter((one) => weekdays.includes(one)).map((one) => nameDay(one))),
    day,
  }
  return t(`schedules.words_${repeats as 'day' | 'month' | 'week' | 'weekdays'}`, names) + zone
}

const nameTime = (hour: number, minute: number) => times.format(SUNDAY + (hour * 60 + minute) * 60_000)

const dates = new Intl.DateTimeFormat(language, { month: 'long', day: 'numeric', timeZone: 'UTC' })

/** Describes a cron expression that forms do not have: the end of a month, a weekday of a month, a day of a year. */
function describeCron(cron: string): string | undefined {
  const [, minute, hour, days] =
    /^(\d{1,2}) (\d{1,2}) (\S+ \S+ \S+)$/.exec(cron.trim().replace(/\s+/g, ' ')) ?? []
  if (days === undefined) return undefined
  const time = nameTime(Number(hour), Number(minute))
  if (days === 'L * *') return t('schedules.words_last_day', { time })
  const [, weekday, nth] = /^\* \* ([0-7])(#[1-5]|L)$/.exec(days) ?? []
  if (weekday !== undefined) {
    const ordinal = (nth === 'L' ? 'last' : nth!.slice(1)) as '1' | '2' | '3' | '4' | '5' | 'last'
    const names = { nth: t(`schedules.nth_${ordinal}`), weekday: nameDay(Number(weekday) % 7), time }
    return t('schedules.words_nth', names)
  }
  const [, day, month] = /^(\d{1,2}) (\d{1,2}) \*$/.exec(days) ?? []
  if (month === undefined) return undefined
  return t('schedules.words_year', {
    date: dates.format(Date.UTC(2024, Number(month) - 1, Number(day))),
    time,
  })
}
