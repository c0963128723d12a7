import { countColumns } from './columns.ts'
import { createDelegations } from './delegations.ts'
import type { Block, Message, SentFrame, ServerFrame } from './frames.ts'
import { createLiveMarkdown, type LiveMarkdown, paintMarkdown } from './markdown/live-markdown.ts'
import { clean, createCleaner, shorten } from './printable.ts'
import type { Screen, Style } from './screen.ts'
import { USER_LABEL, USER_STYLE, type View } from './view.ts'

const INDENT = '  '
const HISTORY_COLUMNS = 600
const RESULT_MARK = ' → '
const OTHER_VERSION = 'Another version of the conversation is shown from here.'

/** Shows a conversation to a person: answers on one screen, everything else on the other or the same. */
export const createRenderer = ({ answer, detail }: { answer: Screen; detail: Screen }): View => {
  let section = ''
  let lastCall = ''
  /** The call on the last line that was written. */
  let call: { label: string; words: string; lineCount: number } | undefined
  let cleanPiece = createCleaner()
  let begun = false
  const delegations = createDelegations()
  /** The messages of the thread that were shown, in their order. */
  let shown: string[] = []
  let shownThread = ''
  /** The answer that is arriving, on a terminal that shows styles. */
  let live: LiveMarkdown | undefined

  const endAnswer = () => {
    live?.end()
    live = undefined
  }

  const startSection = (name: string) => {
    if (section === name) return
    endAnswer()
    answer.startLine()
    detail.startLine()
    section = name
    cleanPiece = createCleaner()
    begun = false
  }

  const stream = (screen: Screen, name: string, piece: string, style?: Style) => {
    const isAfterOther = screen === detail && (section === 'line' || section === 'reasoning')
    if (isAfterOther && section !== name) writeLine('')
    startSection(name)
    const text = begun ? cleanPiece(piece) : cleanPiece(piece).replace(/^\s*\n/, '')
    begun ||= text !== ''
    screen.write(text, style)
  }

  const streamAnswer = (name: string, piece: string) => {
    if (!answer.isStyled) return stream(answer, name, piece)
    startSection(name)
    live ??= createLiveMarkdown(answer)
    live.write(cleanPiece(piece))
  }

  const writeLine = (text: string, style?: Style) => {
    startSection('line')
    detail.writeLine(text, style)
  }

  const writeShort = (mark: string, value: unknown, style: Style) => {
    writeLine(`${mark} ${shorten(value, detail.columns - mark.length - 1)}`, style)
  }

  const callTool = (name: string, input: unknown, indent = '') => {
    startSection('line')
    const label = `${indent}⚙ ${shorten(name, 64)}`
    const words = shorten(describeInput(input), detail.columns - label.length - 2)
    detail.writeParts([
      [label, 'cyan'],
      [words && ` ${words}`, 'dim'],
    ])
    return { label, words }
  }

  /** Puts a result at the end of the line of its call, if that is the last line of a terminal; false if not. */
  const completeCall = (output: unknown, style: Style): boolean => {
    if (!call || !detail.isStyled || section !== 'line' || detail.lineCount !== call.lineCount) return false
    const { label, words } = call
    const columns = detail.columns - label.length - RESULT_MARK.length - 2
    const input = shorten(words, Math.ceil(columns / 2))
    const result = shorten(output, columns - countColumns(input))
    detail.replaceRows(
      2,
      `${detail.paint('cyan', label)} ${detail.paint('dim', input)}${detail.paint(style, RESULT_MARK + result)}\n`,
    )
    call = undefined
    return true
  }

  const showSources = (sources: Message['sources'] = [], indent = INDENT) => {
    if (sources.length === 0) return
    const names = sources.map(({ title, url }) => (url ? `${title} <${url}>` : title))
    writeShort(`${indent}${INDENT}from`, names.join('; '), 'dim')
  }

  const noteMessage = (message_id: string) => {
    if (shown.at(-1) !== message_id) shown.push(message_id)
  }

  /** Says if a turn continues from a message before the last one that was shown. */
  const noteBeginning = ({ thread_id, message_id, after_message_id }: SentFrame<'turn_started'>) => {
    if (thread_id !== shownThread) shown = []
    shownThread = thread_id
    // The history has shown the message of a turn that still runs.
    if (message_id !== after_message_id && shown.includes(message_id)) return
    const index = after_message_id ? shown.lastIndexOf(after_message_id) : -1
    const isKnown = index >= 0 || after_message_id === null
    if (isKnown && shown.splice(index + 1).length > 0) writeNotice(OTHER_VERSION)
    noteMessage(message_id)
  }

  /** Returns the indent of a delegated call, which is shown below the call that delegates it. */
  const readIndent = ({ parent_tool_call_id }: { parent_tool_call_id?: string }) =>
    INDENT.repeat(delegations.depthBelow(parent_tool_call_id))

  const frame = (frame: ServerFrame) => {
    switch (frame.type) {
      case 'turn_started':
        endAnswer()
        section = ''
        lastCall = ''
        delegations.clear()
        return noteBeginning(frame)
      case 'path_changed':
        shown = []
        return writeNotice(OTHER_VERSION)
      case 'content':
        noteMessage(frame.message_id)
        return streamAnswer(`content ${frame.message_id}`, frame.content)
      case 'reasoning':
        return stream(detail, 'reasoning', frame.content, 'dim')
      case 'tool_call':
        lastCall = frame.tool_call_id
        delegations.note(frame)
        call = { ...callTool(frame.name, frame.input, readIndent(frame)), lineCount: detail.lineCount }
        return
      case 'tool_progress':
        return stream(detail, `progress ${frame.tool_call_id}`, frame.content, 'dim')
      case 'tool_result': {
        const style = frame.is_error ? 'red' : 'dim'
        const isOfLastCall = frame.tool_call_id === lastCall
        const mark = frame.is_error ? '✗' : '↳'
        const label = isOfLastCall ? mark : `${mark} ${shorten(frame.name, 64)}:`
        const indent = readIndent(frame) + INDENT
        if (!(isOfLastCall && completeCall(frame.output, style)))
          writeShort(indent + label, frame.output, style)
        return showSources(frame.sources, indent)
      }
      case 'hitl_required':
        // The question and its answer begin on a line of their own.
        return startSection('line')
      case 'attachment':
        return writeLine(`📎 ${frame.path}${frame.media_type ? ` (${frame.media_type})` : ''}`)
      case 'notice':
        return writeNotice(frame.message)
      case 'error':
        fail(frame.code, frame.message)
        for (const text of [frame.details.guidance, frame.details.detail])
          if (typeof text === 'string') detail.writeLine(INDENT + cut(text), 'dim')
        return
      case 'done': {
        const facts = [describeUsage(frame.usage), describeEnd(frame.stop_reason)]
        const text = facts.filter(Boolean).join(' · ')
        startSection('line')
        if (text) detail.writeLine(INDENT + text, 'dim')
      }
    }
  }

  const writeAnswer = (text: string) => {
    if (!answer.isStyled) return writeLine(text)
    startSection('line')
    answer.writeClean(`${paintMarkdown(answer, clean(text))}\n`)
  }

  const showBlock = (block: Block) => {
    if (block.type === 'text') writeAnswer(cut(block.text))
    else if (block.type === 'tool_use') callTool(block.name, block.input)
    else if (block.type === 'tool_result')
      writeShort(`${INDENT}${block.is_error ? '✗' : '↳'}`, block.output, block.is_error ? 'red' : 'dim')
    else if ('path' in block) writeLine(`📎 ${block.path}`)
  }

  const history = (thread_id: string, messages: Message[]) => {
    shownThread = thread_id
    shown = messages.map(({ id }) => id)
    for (const { role, content, sources, notices = [], stop_reason } of messages) {
      if (role !== 'user') {
        content.forEach(showBlock)
        showSources(sources)
        for (const { message } of notices) writeNotice(message)
        if (stop_reason && stop_reason !== 'end') detail.writeLine(INDENT + describeEnd(stop_reason), 'dim')
        continue
      }
      const text = content.map(readWords).join('\n')
      writeLine('')
      detail.writeParts([[USER_LABEL, USER_STYLE], [cut(text)]])
    }
  }

  const writeNotice = (message: string) => writeLine(`ℹ ${message}`, 'dim')

  const fail = (code: string, message: string) => writeLine(`✗ ${message} (${code})`, 'red')

  return {
    get columns() {
      return detail.columns
    },
    frame,
    history,
    wait: () => {
      endAnswer()
      section = ''
      detail.wait()
    },
    // A remark may arrive in the middle of a text, which then continues.
    note: (text) => {
      live?.interrupt()
      detail.writeLine(text, 'dim')
    },
    line: (text, style) => {
      live?.interrupt()
      detail.writeLine(text, style)
    },
    fail,
  }
}

/** Describes the input of a call as a person reads it: a single text by itself, otherwise fields with their names. */
function describeInput(input: unknown): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return JSON.stringify(input) ?? ''
  const fields = Object.entries(input).map(
    ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
  )
  if (fields.length === 1) return fields[0]![1]
  return fields.map(([name, value]) => `${name}: ${value}`).join(', ')
}

/** The ends of an answer in words; an answer that is complete needs none. */
const ENDS: Record<SentFrame<'done'>['stop_reason'], string> = {
  end: '',
  length: 'cut off at the length limit',
  filtered: 'blocked or cut off by a content filter',
  refused: 'declined by the model',
  max_steps: 'step limit reached',
  stopped: 'stopped',
}

/** Describes the end of an answer in words; a reason of a newer server as it is. */
const describeEnd = (reason: SentFrame<'done'>['stop_reason']): string => ENDS[reason] ?? reason

/** Returns the text of a user's block, or the path of its file. */
const readWords = (block: Block) => ('text' in block ? block.text : 'path' in block ? block.path : '')

const cut = (text: string) => (text.length > HISTORY_COLUMNS ? `${text.slice(0, HISTORY_COLUMNS)}…` : text)

function describeUsage({ input_tokens, output_tokens, is_estimated }: SentFrame<'done'>['usage']): string {
  if (input_tokens + output_tokens === 0) return ''
  const about = is_estimated ? 'about ' : ''
  return `${about}${input_tokens.toLocaleString('en')} tokens in, ${output_tokens.toLocaleString('en')} out`
}
