import type { ThreadRow } from '../chat/thread-list.ts'
import { language } from '../i18n/language.ts'
import { t } from '../i18n/words.ts'

/** Threads of one time, under the name of that time. */
export interface ThreadGroup {
  name: string
  threads: ThreadRow[]
}

const months = new Intl.DateTimeFormat(language, { month: 'long' })
const monthsOfYears = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric' })

/** Groups threads as a list shows them: pinned ones, then by the day of their last activity, and older ones by months. */
export function groupThreads(threads: readonly ThreadRow[], now = new Date()): ThreadGroup[] {
  const groups: ThreadGroup[] = []
  for (const thread of threads.toSorted(byPlace)) {
    const name = thread.pinned ? t('chat.pinned') : nameTime(thread.last_active, now)
    const last = groups.at(-1)
    if (last?.name === name) last.threads.push(thread)
    else groups.push({ name, threads: [thread] })
  }
  return groups
}

/** Pinned threads first, then by the last activity, as the server lists them. */
const byPlace = (a: ThreadRow, b: ThreadRow) =>
  Number(b.pinned) - Number(a.pinned) || b.last_active - a.last_active

function nameTime(seconds: number, now: Date): string {
  const time = new Date(seconds * 1000)
  /** The start of the day that is so many days back, whatever the length of the days between. */
  const startOf = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() - days)
  if (time >= startOf(0)) return t('conversations.today')
  if (time >= startOf(1)) return t('conversations.yesterday')
  if (time >= startOf(7)) return t('conversations.week')
  if (time >= startOf(30)) return t('conversations.month')
  return (time.getFullYear() === now.getFullYear() ? months : monthsOfYears).format(time)
}
