import { clearLine, cursorTo } from 'node:readline'
import { styleText } from 'node:util'
import { clean } from './printable.ts'

/** A colour or weight of `util.styleText`. */
export type Style = Parameters<typeof styleText>[0]

/** Writes text to one stream, with control sequences removed, and in colour if the stream is a terminal. */
export const createScreen = ({ stream, env }: { stream: NodeJS.WriteStream; env: NodeJS.ProcessEnv }) => {
  const colour = stream.isTTY && !env.NO_COLOR
  let atLineStart = true
  let lineCount = 0
  let waiting = false

  const paint = (style: Style, text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text

  const note = (text: string) => {
    atLineStart = text.endsWith('\n')
    if (text.includes('\n')) lineCount += 1
  }

  const clearWait = () => {
    if (!waiting) return
    waiting = false
    cursorTo(stream, 0)
    clearLine(stream, 0)
  }

  const write = (text: string, style?: Style) => {
    const shown = clean(text)
    if (!shown) return
    clearWait()
    stream.write(style ? paint(style, shown) : shown)
    note(shown)
  }

  /** Writes text that cannot control the terminal other than by the styles of this screen. */
  const writeClean = (text: string) => {
    if (!text) return
    clearWait()
    stream.write(text)
    note(text)
  }

  const startLine = () => {
    clearWait()
    if (!atLineStart) write('\n')
  }

  const writeParts = (parts: [text: string, style?: Style][]) => {
    startLine()
    for (const [text, style] of parts) write(text, style)
    write('\n')
  }

  return {
    /** True if styles are shown, and rows can be replaced. */
    isStyled: colour,
    /** Returns the text in a style, without writing it. */
    paint,
    writeClean,
    /** Replaces the last rows, the current one included, in one write; none means that the cursor stays. */
    replaceRows(rows: number, text: string) {
      clearWait()
      const up = rows > 1 ? `\x1b[${rows - 1}A` : ''
      stream.write(rows > 0 ? `\r${up}\x1b[J${text}` : text)
      atLineStart = text === '' ? rows > 0 || atLineStart : text.endsWith('\n')
    },
    /** Writes at the end of the current line. */
    write,
    /** Begins a new line unless the current one is empty. */
    startLine,
    /** Writes one line in several styles. */
    writeParts,
    /** Writes whole lines in one style. */
    writeLine: (text: string, style?: Style) => writeParts([[text, style]]),
    /** Shows on a terminal that output is pending; the next text replaces the mark. */
    wait() {
      if (!stream.isTTY || waiting) return
      startLine()
      stream.write(paint('dim', '…'))
      waiting = true
    },
    /** The terminal columns of one line. */
    get columns() {
      return stream.columns || 80
    },
    /** Counts the writes that ended a line, so that a caller knows whether its line is still the last one. */
    get lineCount() {
      return lineCount
    },
    /** The rows that the terminal shows at once. */
    get rows() {
      return stream.rows || 24
    },
  }
}

/** Writes to one stream. */
export type Screen = ReturnType<typeof createScreen>
