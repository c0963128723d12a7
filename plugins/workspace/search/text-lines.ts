/** How much of one line is searched, in UTF-16 units. */
export const MAX_LINE = 64 * 1024

/** One line of a text, without its line end. */
export interface Line {
  /** Counted from 1. */
  number: number
  /** At most MAX_LINE of it. */
  text: string
  /** Whether it is longer than that. */
  is_long: boolean
}

/** Goes through the lines of a text; a newline at the very end begins no line. */
export function* linesOf(text: string): Generator<Line> {
  let from = text.startsWith('\ufeff') ? 1 : 0
  for (let number = 1; from < text.length; number++) {
    const newline = text.indexOf('\n', from)
    const next = newline < 0 ? text.length : newline
    const end = newline >= 0 && text[next - 1] === '\r' && next > from ? next - 1 : next
    yield { number, text: text.slice(from, Math.min(end, from + MAX_LINE)), is_long: end - from > MAX_LINE }
    from = next + 1
  }
}
