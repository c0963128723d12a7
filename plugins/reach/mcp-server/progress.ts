import type { Clock, Locale } from '#kernel'
import type { Progress } from './ask.ts'
import { say } from './phrases.ts'

/** The least time between two notifications about a growing text, in milliseconds. */
const WRITING_MS = 1000

/** Creates a function that reports the news of a turn in words, each with a higher number. */
export function createProgress(
  { clock, locale }: { clock: Clock; locale: Locale },
  send: (progress: number, message: string) => void,
): (news: Progress) => void {
  let count = 0
  let progress = 0
  let last = Number.NEGATIVE_INFINITY
  const report = (message: string) => send(++progress, message)

  return (news) => {
    if (news.type === 'queued') return report(say('queued', locale, { position: news.position }))
    const { event } = news
    switch (event.type) {
      case 'turn_started':
        return report(say('started', locale))
      case 'tool_call':
        return report(say('calls', locale, { name: event.frame.name }))
      case 'tool_progress':
        return report(event.frame.content)
      case 'content': {
        count += event.frame.content.length
        if (clock.now() - last < WRITING_MS) return
        last = clock.now()
        report(say('writes', locale, { count }))
      }
    }
  }
}
