import { language } from './language.ts'
import { t } from './words.ts'

const dates = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
const exactDates = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long' })
const days = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'narrow' })
const numbers = new Intl.NumberFormat(language)
const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 })

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const
const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']
/** Times that lie further back are shown as dates. */
const RELATIVE_SECONDS = 7 * 86_400

/** A time of the API, in Unix seconds, as date and time. */
export const formatDate = (seconds: number) => dates.format(seconds * 1000)

/** A time of the API, in Unix seconds, to the second and with its zone. */
export const formatExactDate = (seconds: number) => exactDates.format(seconds * 1000)

/** A time of the API, in Unix seconds, relative to now: "5min ago"; a date if it is further than a week away. */
export function formatAge(seconds: number, now = Date.now() / 1000): string {
  const passed = seconds - now
  if (Math.abs(passed) > RELATIVE_SECONDS) return days.format(seconds * 1000)
  const [unit, size] = UNITS.find(([, size]) => Math.abs(passed) >= size) ?? ['second', 1]
  return Math.abs(passed) < 45
    ? relative.format(0, 'second')
    : relative.format(Math.round(passed / size), unit)
}

/** A day such as "2026-03-04" as a date; other words as they are. */
export function formatDay(day: string): string {
  const [, year, month, date] = (/^(\d{4})-(\d\d)-(\d\d)/.exec(day) ?? []).map(Number)
  return year && month && date ? days.format(new Date(year, month - 1, date)) : day
}

export const formatNumber = (value: number) => numbers.format(value)

/** A large number, shortened: "4.2K". */
export const formatCompact = (value: number) => compact.format(value)

/** A price or a budget as it was set: "$0.10", "$0.0375", "$3". */
export const formatMoney = (amount: number, currency: string) =>
  new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: Number.isInteger(amount) ? 0 : 2,
    maximumFractionDigits: 4,
  }).format(amount)

/** The smallest cost that is shown as a number. */
const LEAST_COST = 0.0001

/** The least sum that is rounded to the smallest unit of its currency. */
const LEAST_ROUNDED = 0.01

interface Cost {
  amount: number
  currency: string
}

/** The cost of an answer: "$1.24", "$0.0042", "less than $0.0001". */
export function formatCost({ amount, currency }: Cost): string {
  if (amount > 0 && amount < LEAST_COST)
    return t('tools.less_than', { amount: formatMoney(LEAST_COST, currency) })
  if (amount < 1) return formatMoney(amount, currency)
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  }).format(amount)
}

/** A sum of costs, rounded so that the amounts in a column can be compared: "$12.35", "$0.42". */
export const formatSum = ({ amount, currency }: Cost): string =>
  formatCost({ amount: amount < LEAST_ROUNDED ? amount : Math.round(amount * 100) / 100, currency })

export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), BYTE_UNITS.length - 1)
  const format = {
    style: 'unit',
    unit: BYTE_UNITS[power],
    // The short form of English has no plural: "111 byte".
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const
  return new Intl.NumberFormat(language, format).format(bytes / 1024 ** power)
}

/** A length of time in seconds: "73ms", "12s", "3 min". */
export function formatDuration(seconds: number): string {
  const short = seconds > 0 && seconds < 1 ? (['millisecond', 0.001] as const) : (['second', 1] as const)
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? short
  const format = {
    style: 'unit',
    unit,
    unitDisplay: unit.endsWith('second') ? 'narrow' : 'short',
    maximumFractionDigits: seconds >= 1 && seconds < 10 ? 1 : 0,
  } as const
  return new Intl.NumberFormat(language, format).format(seconds / size)
}
