import { formatDate } from './format.ts'
import { language } from './language.ts'

const clock = new Intl.DateTimeFormat(language, { timeStyle: 'short' })
const weekdays = new Intl.DateTimeFormat(language, { weekday: 'long' })
const nearDays = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
const DAY_MS = 86_400_000

/** A time to come, in Unix seconds, as one would say it: "11:30 PM", "tomorrow 11:30 PM", "Friday 9:00 AM"; a date after a week. */
export function formatDeadline(seconds: number, now = Date.now()): string {
  const time = new Date(seconds * 1000)
  const startOf = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
  // Days of a change of the clock are shorter or longer.
  const days = Math.round((startOf(time) - startOf(new Date(now))) / DAY_MS)
  if (days === 0) return clock.format(time)
  if (days === 1) return `${nearDays.format(1, 'day')} ${clock.format(time)}`
  return days > 1 && days < 7 ? `${weekdays.format(time)} ${clock.format(time)}` : formatDate(seconds)
}
