import { clearLine, cursorTo } from 'node:readline'
import { styleText } from 'node:util'
import { clean } from './printable.ts'

/** A colour or weight of `util.styleText`. */
export type Style = Parameters<typeof styleText>[0]

/** Writes text that is safe to show to one stream, in colour where that stream is a terminal. */
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
    /** Paints without writing. */
    paint,
    /** Continues the line. */
    write,
    /** Goes to the start of a line, if not there. */
    startLine,
    /** Writes one line in several styles. */
    writeParts,
    /** Writes whole lines in one style. */
    writeLine: (text: string, style?: Style) => writeParts([[text, style]]),
    /** Shows, on a terminal, that something is awaited; the next text takes its place. */
    wait() {
      if (!stream.isTTY || waiting) return
      startLine()
      stream.write(paint('dim', '…'))
      waiting = true
    },
    /** Terminal columns there are for one line. */
    get columns() {
      return stream.columns || 80
    },
  }
}

/** Writes to one stream. */
export type Screen = ReturnType<typeof createScreen>
