import { AppError } from '#kernel'
import { readExample } from './example-tasks.ts'
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

/** Cuts a text at the end of a word. */
function shorten(text: string): string {
  const plain = text.replace(/[.。]$/, '')
  if (plain.length <= MAX_NAME) return plain
  const cut = plain.slice(0, MAX_NAME)
  return `${/^\w/.test(plain[MAX_NAME]!) ? cut.replace(/\s+\S*$/, '') : cut}…`
}
