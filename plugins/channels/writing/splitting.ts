import { createCutter } from './cutter.ts'
import { type Limits, measure } from './measures.ts'

/** One message of a split text. */
export interface Part {
  /** The rendered part, no longer than the limit. */
  text: string
  /** Its range in the source; the parts cover the whole source. */
  start: number
  end: number
}

/** The limits for splitting a text. */
export interface SplitOptions extends Limits {
  /** Text that does not fit in this many messages is cut off, marked by an ellipsis. */
  max_parts?: number
}

/** Marks the end of a truncated text. */
const ELLIPSIS = '…'

/**
 * Splits a text into messages after a paragraph, else after a line, a sentence, a word, or between two characters. Code
 * that is open at a cut is closed and reopened after it. A text that renders to nothing has no parts.
 *
 * All parts but the last are the same for every text that begins with this one: a cut depends only on the text up to
 * the first place at which the message is too long. So a sent part stays valid while the text grows, unless it was the
 * last one, which may be cut again elsewhere.
 *
 * With limits of a few dozen characters, which no platform has, a cut may move while the text grows. With fewer than
 * about 16, a single escaped character may exceed the limit; it is sent all the same.
 */
export function splitMarkdown(markdown: string, options: SplitOptions): Part[] {
  const { max_parts = Number.POSITIVE_INFINITY, ...limits } = options
  const cutter = createCutter(limits)
  const parts: Part[] = []
  let start = 0
  for (let place = 0; place < markdown.length; ) {
    const isLastPart = parts.length + 1 >= max_parts
    const piece = cutter.next(markdown, place, { is_whole: true })
    const end = isLastPart ? markdown.length : piece.end
    const text = isLastPart && !piece.is_last ? truncate(markdown, place, limits) : piece.text
    // A part that renders to nothing is added to its neighbour.
    if (text.trim() !== '') parts.push({ text, start, end })
    else if (parts.length > 0) parts.at(-1)!.end = end
    place = end
    if (parts.length > 0) start = end
  }
  return parts
}

/** Returns the message that begins at a place, ended by an ellipsis because no other message follows. */
export function truncate(markdown: string, place: number, limits: Limits): string {
  const room = limits.max_length - measure(limits.length_unit, `\n${ELLIPSIS}`)
  const { text } = createCutter({ ...limits, max_length: Math.max(1, room) }).next(markdown, place)
  return text + (/(?:```|~~~|<\/pre>|<\/blockquote>)$/.test(text) ? '\n' : '') + ELLIPSIS
}
