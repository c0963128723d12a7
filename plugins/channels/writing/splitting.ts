import { createCutter } from './cutter.ts'
import { type Limits, lengthIn } from './measures.ts'

/** One message of a text. */
export interface Part {
  /** Rendered in the dialect, and no longer than the limit. */
  text: string
  /** What of the source it stands for, from `start` up to `end`; the parts cover all of it. */
  start: number
  end: number
}

/** How a text is split. */
export interface SplitOptions extends Limits {
  /** What does not fit in so many messages is cut off, and an ellipsis says so. */
  max_parts?: number
}

/** What ends a text that was cut off. */
const ELLIPSIS = '…'

/**
 * Splits a text into messages, at the end of a paragraph, or else of a line, of a sentence, of a word, or between two
 * characters. Code that is open at a cut is closed, and begun anew behind it. A text that says nothing has no parts.
 *
 * All parts but the last are the same for every text that begins with this one, `start`, `end` and `text`: a cut depends
 * only on what stands before the first place at which the message is too long. So what has been sent as a part other
 * than the last stands, however the text goes on; the last one may be cut once more, and elsewhere.
 *
 * With limits of a few dozen characters, which no platform has, a cut may lie elsewhere once the text goes on; one of less
 * than some 16 may be too short for a single character that is escaped, which is sent then.
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
    const text = isLastPart && !piece.is_last ? cutOff(markdown, place, limits) : piece.text
    // What shows nothing belongs to its neighbour.
    if (text.trim() !== '') parts.push({ text, start, end })
    else if (parts.length > 0) parts.at(-1)!.end = end
    place = end
    if (parts.length > 0) start = end
  }
  return parts
}

/** The message that begins at a place and ends with an ellipsis, because no other one follows it. */
export function cutOff(markdown: string, place: number, limits: Limits): string {
  const room = limits.max_length - lengthIn(limits.length_unit, `\n${ELLIPSIS}`)
  const { text } = createCutter({ ...limits, max_length: Math.max(1, room) }).next(markdown, place)
  return text + (/(?:```|~~~|<\/pre>|<\/blockquote>)$/.test(text) ? '\n' : '') + ELLIPSIS
}
