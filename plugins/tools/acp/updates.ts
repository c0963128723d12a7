import type { SessionUpdate, ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk'
import type { Progress } from './progress.ts'
import type { ToolParseMode } from './types.ts'

/** The part of an answer that is kept, its end; the rest of a tool's output is for notes. */
const MAX_ANSWER_BYTES = 60 * 1024
const CUT = '[… the beginning of its answer is omitted …]\n'
const MAX_SHOWN_CHARS = 500
/** The most calls with titles that are remembered for their updates. */
const MAX_TITLES = 500

const PLAN_SIGNS = new Map([
  ['completed', '✓'],
  ['in_progress', '▸'],
])

/** The messages of a runner, of which the end is kept. */
type Answer = ReturnType<typeof createAnswer>

/** Creates an empty answer. */
export function createAnswer() {
  let text = ''
  let isCut = false
  let isEnded = false
  return {
    write(more: string): void {
      if (more === '') return
      text += (isEnded && text !== '' ? '\n\n' : '') + more
      isEnded = false
      // Cut rarely, since each cut copies the text.
      if (text.length > 4 * MAX_ANSWER_BYTES) {
        text = text.slice(-MAX_ANSWER_BYTES)
        isCut = true
      }
    },
    /** Ends the current message: the next text is a message of its own. */
    endMessage(): void {
      isEnded = true
    },
    text(): string {
      const bytes = Buffer.from(text)
      if (!isCut && bytes.length <= MAX_ANSWER_BYTES) return text.trim()
      const end = bytes.subarray(-MAX_ANSWER_BYTES)
      const start = end.findIndex((byte) => (byte & 0xc0) !== 0x80)
      return CUT + end.subarray(Math.max(0, start)).toString().trimEnd()
    },
  }
}

/** Returns a text on one line, cut at 500 characters. */
export const shorten = (text: string): string => {
  const line = text
    .slice(0, 4 * MAX_SHOWN_CHARS)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > MAX_SHOWN_CHARS || text.length > 4 * MAX_SHOWN_CHARS
    ? `${line.slice(0, MAX_SHOWN_CHARS)}…`
    : line
}

// Runners may send values that the protocol does not allow.
const readText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns the objects of a list. */
export const readList = <Item>(value: readonly Item[] | null | undefined): Item[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []

/** Returns the files that a call is about, as `path:line`. */
export const readLocations = ({ locations }: Pick<ToolCallUpdate, 'locations'>): string[] =>
  readList(locations)
    .slice(0, 20)
    .map(({ path, line }) => shorten(typeof line === 'number' ? `${readText(path)}:${line}` : readText(path)))

/** Returns any JSON as text; empty if it cannot be shown. */
export const showJson = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  try {
    return typeof value === 'string' ? value : JSON.stringify(value)
  } catch {
    // The value is nested too deeply.
    return ''
  }
}

const readContent = ({ content }: ToolCallUpdate): string[] =>
  readList(content)
    .slice(0, 5)
    .flatMap((part) => {
      if (part.type === 'diff') return [`± ${shorten(readText(part.path))}`]
      if (part.type === 'terminal') return [`terminal ${shorten(readText(part.terminalId))}`]
      const text = part.content?.type === 'text' ? shorten(readText(part.content.text)) : ''
      return text === '' ? [] : [text]
    })

/** Creates the reader of a session's updates: messages go to the answer, and everything is shown as progress. */
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
  /** The id of the current message; empty if it has none. */
  let message = ''

  const remember = ({ toolCallId, title }: Pick<ToolCallUpdate, 'toolCallId' | 'title'>): string => {
    const id = readText(toolCallId)
    const knownTitle = shorten(readText(title)) || titles.get(id) || shorten(id) || '…'
    if (titles.size >= MAX_TITLES) titles.delete(titles.keys().next().value!)
    titles.set(id, knownTitle)
    return knownTitle
  }
  const showCall = (call: ToolCall) => {
    const title = remember(call)
    if (mode !== 'call_detail') return progress.writeLine(`⚙ ${title}`)
    const kind = readText(call.kind)
    const details = [...readLocations(call), shorten(showJson(call.rawInput))].filter(
      (detail) => detail !== '',
    )
    progress.writeLine([`⚙ ${title}${kind && ` (${kind})`}`, ...details].join('\n  '))
  }
  const showCallUpdate = (update: ToolCallUpdate) => {
    const title = remember(update)
    if (mode !== 'update_detail') return
    const details = [readText(update.status), ...readContent(update)].filter((detail) => detail !== '')
    if (details.length > 0) progress.writeLine([`⚙ ${title}`, ...details].join('\n  '))
  }

  return (update) => {
    switch (update?.sessionUpdate) {
      case 'agent_message_chunk': {
        const text = update.content?.type === 'text' ? readText(update.content.text) : ''
        const id = readText(update.messageId)
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
        const lines = readList(update.entries)
          .slice(0, 100)
          .filter(({ content }) => readText(content) !== '')
          .map(({ content, status }) => `${PLAN_SIGNS.get(status) ?? '·'} ${shorten(content)}`)
        if (lines.length > 0) progress.writeLine(lines.join('\n'))
        return
      }
      case 'tool_call':
        answer.endMessage()
        return showCall(update)
      case 'tool_call_update':
        return showCallUpdate(update)
    }
  }
}
