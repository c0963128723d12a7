import { clearLine, cursorTo } from 'node:readline'
import { styleText } from 'node:util'
import { clean } from './printable.ts'

/** A colour or weight of `util.styleText`. */
export type Style = Parameters<typeof styleText>[0]

/** Writes text to one stream, with control sequences removed, and in colour if the stream is a terminal. */
export const createScreen = ({ stream, env }: { stream: NodeJS.WriteStream; env: NodeJS.ProcessEnv }) => {
  const colour = stream.isTTY && !env.NO_COLOR
  let atLineStart = true
  let waiting = false

  const paint = (style: Style, text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text

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
    atLineStart = shown.endsWith('\n')
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
    /** Returns the text in a style, without writing it. */
    paint,
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
  }
}

/** Writes to one stream. */
export type Screen = ReturnType<typeof createScreen>
