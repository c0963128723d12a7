import { describeCall } from '../chat/messages/describe-call.ts'
import { END_WORDS } from '../chat/messages/turn-end.tsx'
import { formatNumber } from '../i18n/format.ts'
import { joinNames, t } from '../i18n/words.ts'
import { parseCall } from './parse-call.ts'
import type { Step } from './steps.ts'

/** The summary of a step in the words of the console; of what it does not know, as the server says it. */
export function readSummary({ type, text }: Step): string {
  switch (type) {
    case 'tool_call': {
      const { name, input } = parseCall(text)
      const { verb, object } = describeCall(name, input)
      return [verb, object].filter(Boolean).join(' ')
    }
    case 'tool_result':
      return text.replace(/^(\w+)( failed)?: /, (_, name) => `${nameTool(name)} · `)
    case 'usage': {
      const [, read, written, model] = /^(\d+) tokens in, (\d+) out, (.*)$/.exec(text) ?? []
      if (!model) return text
      const counts = { read: formatNumber(Number(read)), written: formatNumber(Number(written)) }
      return `${model} · ${t('trajectory.in_out', counts)}`
    }
    case 'hitl_required':
      return joinNames(
        text
          .replace(/^waits for a decision: /, '')
          .split(', ')
          .map(nameTool),
      )
    case 'notice':
    case 'error':
      return text.replace(/^[A-Z_]+: /, '')
    case 'done':
      return isEnd(text) ? t(END_WORDS[text]) : text === 'end' ? t('trajectory.complete') : text
    default:
      return text
  }
}

const isEnd = (text: string): text is keyof typeof END_WORDS => Object.hasOwn(END_WORDS, text)

/** The name of a tool for people. */
export const nameTool = (name: string) => describeCall(name, {}).verb
