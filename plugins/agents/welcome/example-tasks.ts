import { AppError } from '#plugin-api'
import type { ExampleJob, Welcome } from './schemas.ts'

/** The most characters of a name. */
const MAX_NAME = 60

/** Converts examples of tasks to bodies of new schedules. Throws VALIDATION_FAILED for an unknown time zone. */
export function toJobs(
  { en, zh }: Welcome['task_examples'],
  timezone: string,
): { en: ExampleJob[]; zh: ExampleJob[] } {
  assertTimezone(timezone)
  const toJob = (text: string): ExampleJob => {
    const { prompt, cron } = readExample(text)
    const sentence = prompt.slice(0, 1).toUpperCase() + prompt.slice(1)
    return { name: shorten(sentence), prompt: sentence, schedule: cron === null ? null : { cron, timezone } }
  }
  return { en: en.map(toJob), zh: zh.map(toJob) }
}

function assertTimezone(timezone: string): void {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone })
  } catch (cause) {
    const issue = { path: '/timezone', rule: 'timezone', message: 'is not a known time zone' }
    throw new AppError('VALIDATION_FAILED', { issues: [issue] }, { cause })
  }
}

/** The beginning of a text up to the end of a clause. */
const CLAUSE = /^.{8,}(?=[,;，；])/s

/** Cuts a text at the end of a clause, or else of a word. */
function shorten(text: string): string {
  const plain = text.replace(/[.。]$/, '')
  if (plain.length <= MAX_NAME) return plain
  const [clause] = CLAUSE.exec(plain.slice(0, MAX_NAME + 1)) ?? []
  if (clause !== undefined) return clause
  const cut = plain.slice(0, MAX_NAME)
  return `${/^\w/.test(plain[MAX_NAME]!) ? cut.replace(/\s+\S*$/, '') : cut}…`
}

/** The time and the prompt of an example of a task; `cron` is null if its time is not understood. */
interface ExampleTask {
  prompt: string
  cron: string | null
}

const TIME = /(?<hour>\d{1,2})(?::(?<minute>\d{2}))?/.source
/** The words before the colon that ends the time. */
const ENGLISH = new RegExp(`^(?<days>(?:Every|On) .+?) at ${TIME}: (?<prompt>.+)$`, 's')
const CHINESE = new RegExp(`^(?<days>每.+?) ${TIME}：(?<prompt>.+)$`, 's')

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const CHINESE_WEEKDAYS = '日一二三四五六'
const QUARTERS = { first: '1,4,7,10', last: '3,6,9,12' }

/** Reads the time and the prompt of an example such as "Every Monday at 9:00: compare …". */
function readExample(text: string): ExampleTask {
  const { groups } = ENGLISH.exec(text) ?? CHINESE.exec(text) ?? {}
  if (!groups) return { prompt: text, cron: null }
  const { days = '', hour, minute = '0', prompt = '' } = groups
  const fields = readEnglish(days) ?? readChinese(days)
  const isTime = Number(hour) < 24 && Number(minute) < 60
  return { prompt, cron: fields && isTime ? `${Number(minute)} ${Number(hour)} ${fields}` : null }
}

/** Returns the last three fields of a cron expression: day of the month, month, day of the week. */
function readEnglish(days: string): string | undefined {
  const [, day] = /^Every (\w+)$/.exec(days) ?? []
  if (day === 'day') return '* * *'
  if (day === 'weekday') return '* * 1-5'
  const weekday = WEEKDAYS.indexOf(day?.toLowerCase() ?? '')
  if (weekday >= 0) return `* * ${weekday}`
  const [, which, period] = /^On the (.+?) of each (month|quarter)$/.exec(days) ?? []
  if (which === undefined) return undefined
  if (which === 'first day' || which === 'last day')
    return toEdge(which === 'first day' ? 'first' : 'last', period === 'quarter')
  const dates = which.split(/ and |, /).map((date) => /^([1-9]\d?)(?:st|nd|rd|th)$/.exec(date)?.[1])
  return period === 'month' ? toDates(dates) : undefined
}

function readChinese(days: string): string | undefined {
  if (days === '每天') return '* * *'
  if (days === '每个工作日') return '* * 1-5'
  const [, weekday] = /^每周([日一二三四五六])$/.exec(days) ?? []
  if (weekday !== undefined) return `* * ${CHINESE_WEEKDAYS.indexOf(weekday)}`
  const [, period, which] = /^每(月|季度)(第一天|最后一天)$/.exec(days) ?? []
  if (which !== undefined) return toEdge(which === '第一天' ? 'first' : 'last', period === '季度')
  const [, dates] = /^每月 (.+)$/.exec(days) ?? []
  return dates && toDates(dates.split(/和|、/).map((date) => /^\s*([1-9]\d?) 日\s*$/.exec(date)?.[1]))
}

const toEdge = (edge: keyof typeof QUARTERS, isQuarter: boolean) =>
  `${edge === 'first' ? '1' : 'L'} ${isQuarter ? QUARTERS[edge] : '*'} *`

const toDates = (dates: (string | undefined)[]) =>
  dates.every((date) => date !== undefined && Number(date) <= 31) ? `${dates.join(',')} * *` : undefined
