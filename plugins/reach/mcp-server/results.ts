import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Locale } from '#kernel'
import { describeEnd, sayEnd } from '#toolbox'
import type { Answer } from './ask.ts'
import { say } from './phrases.ts'

/** Returns the result of a tool whose agent has answered, failed, or waits for a person. */
export function toResult(answer: Answer, { locale, base }: { locale: Locale; base: string }): CallToolResult {
  const { thread_id, files, end } = answer
  const shown = answer.text.trim() === '' ? sayEnd('no_answer', locale) : answer.text
  const structured = (text: string) => ({ structuredContent: { text, thread_id } })
  const links = files.map(({ filename, url }) =>
    textBlock(say('file', locale, { filename, url: new URL(url, base).href })),
  )
  switch (end.type) {
    case 'paused': {
      const requests = end.requests.map((request) => `- ${request}`).join('\n')
      const text = say('waits', locale, { thread_id, requests })
      return { content: [textBlock(text), ...links], ...structured(text) }
    }
    case 'failed':
    case 'stopped': {
      const reason = end.type === 'failed' ? end.message : say('stopped', locale)
      const content = answer.text.trim() === '' ? [] : [textBlock(answer.text)]
      return { content: [...content, textBlock(reason)], ...structured(reason), isError: true }
    }
    default: {
      const note = describeEnd(end.type, locale)
      const notes = note === undefined ? [] : [textBlock(note)]
      return { content: [textBlock(shown), ...notes, ...links], ...structured(shown) }
    }
  }
}

/** Returns the result of a tool whose agent was not asked. */
export const toRefusal = (message: string): CallToolResult => ({
  content: [textBlock(message)],
  isError: true,
})

const textBlock = (text: string) => ({ type: 'text' as const, text })
