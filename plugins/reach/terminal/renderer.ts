import type { Block, Message, SentFrame, ServerFrame } from './frames.ts'
import { createCleaner, shorten } from './printable.ts'
import type { Screen, Style } from './screen.ts'
import { USER_LABEL, USER_STYLE, type View } from './view.ts'

const INDENT = '  '
const HISTORY_COLUMNS = 600

/** Shows a conversation to a person: answers on one screen, everything else on the other or the same. */
export const createRenderer = ({ answer, detail }: { answer: Screen; detail: Screen }): View => {
  let section = ''
  let lastCall = ''
  let cleanPiece = createCleaner()
  let begun = false

  const startSection = (name: string) => {
    if (section === name) return
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
    const inputText = ` ${shorten(input, detail.columns - label.length - 2)}`
    detail.writeParts([
      [label, 'cyan'],
      [inputText, 'dim'],
    ])
  }

  const showSources = (sources: Message['sources'] = [], indent = INDENT) => {
    if (sources.length === 0) return
    const names = sources.map(({ title, url }) => (url ? `${title} <${url}>` : title))
    writeShort(`${indent}${INDENT}from`, names.join('; '), 'dim')
  }

  const frame = (frame: ServerFrame) => {
    switch (frame.type) {
      case 'turn_started':
        section = ''
        lastCall = ''
        return
      case 'content':
        return stream(answer, `content ${frame.message_id}`, frame.content)
      case 'reasoning':
        return stream(detail, 'reasoning', frame.content, 'dim')
      case 'tool_call':
        lastCall = frame.tool_call_id
        return callTool(frame.name, frame.input, readIndent(frame))
      case 'tool_progress':
        return stream(detail, `progress ${frame.tool_call_id}`, frame.content, 'dim')
      case 'tool_result': {
        const mark = frame.is_error ? '✗' : '↳'
        const label = frame.tool_call_id === lastCall ? mark : `${mark} ${shorten(frame.name, 64)}:`
        const indent = readIndent(frame) + INDENT
        writeShort(indent + label, frame.output, frame.is_error ? 'red' : 'dim')
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

  const showBlock = (block: Block) => {
    if (block.type === 'text') writeLine(cut(block.text))
    else if (block.type === 'tool_use') callTool(block.name, block.input)
    else if (block.type === 'tool_result')
      writeShort(`${INDENT}${block.is_error ? '✗' : '↳'}`, block.output, block.is_error ? 'red' : 'dim')
    else if ('path' in block) writeLine(`📎 ${block.path}`)
  }

  const history = (messages: Message[]) => {
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
      section = ''
      detail.wait()
    },
    // A remark may arrive in the middle of a text, which then continues.
    note: (text) => detail.writeLine(text, 'dim'),
    line: (text, style) => detail.writeLine(text, style),
    fail,
  }
}

/** The ends of an answer in words; an answer that is complete needs none. */
const ENDS: Record<SentFrame<'done'>['stop_reason'], string> = {
  end: '',
  length: 'cut off at the length limit',
  filtered: 'withheld or cut by the filter of the provider',
  refused: 'refused by the model',
  max_steps: 'step limit reached',
  stopped: 'stopped',
}

/** Describes the end of an answer in words; a reason of a newer server as it is. */
const describeEnd = (reason: SentFrame<'done'>['stop_reason']): string => ENDS[reason] ?? reason

/** Returns the text of a user's block, or the path of its file. */
const readWords = (block: Block) => ('text' in block ? block.text : 'path' in block ? block.path : '')

/** Returns the indent of a delegated call, which is shown below the call that delegates it. */
const readIndent = ({ parent_tool_call_id }: { parent_tool_call_id?: string }) =>
  parent_tool_call_id === undefined ? '' : INDENT

const cut = (text: string) => (text.length > HISTORY_COLUMNS ? `${text.slice(0, HISTORY_COLUMNS)}…` : text)

function describeUsage({ input_tokens, output_tokens, is_estimated }: SentFrame<'done'>['usage']): string {
  if (input_tokens + output_tokens === 0) return ''
  const about = is_estimated ? 'about ' : ''
  return `${about}${input_tokens.toLocaleString('en')} tokens in, ${output_tokens.toLocaleString('en')} out`
}
