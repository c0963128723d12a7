import type { SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { Answer } from './answer.ts'
import type { Progress } from './progress.ts'
import type { ToolParseMode } from './types.ts'

const SHOWN_CHARACTERS = 500
/** Calls whose titles are remembered for what is told of them later. */
const MAX_TITLES = 500

const PLAN_SIGNS = new Map([
  ['completed', '✓'],
  ['in_progress', '▸'],
])

/** A text on one line, cut at 500 characters. */
export const brief = (text: string): string => {
  const line = text
    .slice(0, 4 * SHOWN_CHARACTERS)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > SHOWN_CHARACTERS || text.length > 4 * SHOWN_CHARACTERS
    ? `${line.slice(0, SHOWN_CHARACTERS)}…`
    : line
}

/** Runners may send what the protocol does not foresee. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = <Item>(value: readonly Item[] | null | undefined): Item[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []

/** The files that a call is about, as `path:line`. */
export const locationsOf = ({ locations }: Pick<ToolCallUpdate, 'locations'>): string[] =>
  listOf(locations)
    .slice(0, 20)
    .map(({ path, line }) => brief(typeof line === 'number' ? `${textOf(path)}:${line}` : textOf(path)))

/** Any JSON as a text; empty where there is nothing to show. */
export const shownJson = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  try {
    return typeof value === 'string' ? value : JSON.stringify(value)
  } catch {
    // It is nested too deeply to be shown.
    return ''
  }
}

const contentOf = ({ content }: ToolCallUpdate): string[] =>
  listOf(content)
    .slice(0, 5)
    .flatMap((part) => {
      if (part.type === 'diff') return [`± ${brief(textOf(part.path))}`]
      if (part.type === 'terminal') return [`terminal ${brief(textOf(part.terminalId))}`]
      const text = part.content?.type === 'text' ? brief(textOf(part.content.text)) : ''
      return text === '' ? [] : [text]
    })

/** Makes what takes the updates of a session: the words of its messages are the answer, and all is told to the reader. */
export function createUpdateReader({
  mode,
  answer,
  progress,
}: {
  mode: ToolParseMode
  answer: Answer
  progress: Progress
}): (update: SessionUpdate) => void {
  const titles = new Map<string, string>()
  /** The message that was last added to, where it has an id. */
  let message = ''

  const remember = ({ toolCallId, title }: Pick<ToolCallUpdate, 'toolCallId' | 'title'>): string => {
    const id = textOf(toolCallId)
    const known = brief(textOf(title)) || titles.get(id) || brief(id) || '…'
    if (titles.size >= MAX_TITLES) titles.delete(titles.keys().next().value!)
    titles.set(id, known)
    return known
  }
  const tellCall = (call: ToolCall) => {
    const title = remember(call)
    if (mode !== 'call_detail') return progress.writeLine(`⚙ ${title}`)
    const kind = textOf(call.kind)
    const details = [...locationsOf(call), brief(shownJson(call.rawInput))].filter((detail) => detail !== '')
    progress.writeLine([`⚙ ${title}${kind && ` (${kind})`}`, ...details].join('\n  '))
  }
  const tellCallUpdate = (update: ToolCallUpdate) => {
    const title = remember(update)
    if (mode !== 'update_detail') return
    const details = [textOf(update.status), ...contentOf(update)].filter((detail) => detail !== '')
    if (details.length > 0) progress.writeLine([`⚙ ${title}`, ...details].join('\n  '))
  }

  return (update) => {
    switch (update?.sessionUpdate) {
      case 'agent_message_chunk': {
        const text = update.content?.type === 'text' ? textOf(update.content.text) : ''
        const id = textOf(update.messageId)
        if (id !== message) {
          answer.endMessage()
          progress.startLine()
        }
        message = id
        answer.write(text)
        progress.write(text)
        return
      }
      case 'plan': {
        const lines = listOf(update.entries)
          .slice(0, 100)
          .filter(({ content }) => textOf(content) !== '')
          .map(({ content, status }) => `${PLAN_SIGNS.get(status) ?? '·'} ${brief(content)}`)
        if (lines.length > 0) progress.writeLine(lines.join('\n'))
        return
      }
      case 'tool_call':
        answer.endMessage()
        return tellCall(update)
      case 'tool_call_update':
        return tellCallUpdate(update)
    }
  }
}
