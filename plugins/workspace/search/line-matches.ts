import type { SearchPattern } from './search-pattern.ts'
import { type Line, linesOf, MAX_LINE } from './text-lines.ts'

/** How much of one line is shown, in UTF-16 units; a longer one is shown around its first match. */
const SHOWN = 400
const SHOWN_BEFORE = 100

/** What a cut leaves of a character that it divides. */
const HALVES = /\p{Surrogate}/gu

/** How many lines around a match are shown. */
export interface Surroundings {
  before: number
  after: number
}

/** A line to be shown: one that matches, or one around it; `has_gap` where lines before it are not shown. */
export interface ShownLine {
  number: number
  text: string
  is_match: boolean
  has_gap: boolean
}

/**
 * Goes through the lines of a text that match, with those around them. `onLine` is told of each line as it is read
 * and ends the search by answering false.
 */
export function* matchesIn(
  text: string,
  {
    pattern,
    before,
    after,
    onLine,
  }: { pattern: SearchPattern; onLine: (line: Line) => boolean } & Surroundings,
): Generator<ShownLine> {
  const previous: Line[] = []
  let lastShown = 0
  let stillToShow = 0
  const show = (line: Line, is_match: boolean): ShownLine => {
    const has_gap = lastShown > 0 && line.number > lastShown + 1
    lastShown = line.number
    return { number: line.number, text: shorten(line, is_match ? pattern : undefined), is_match, has_gap }
  }
  for (const line of linesOf(text)) {
    if (!onLine(line)) return
    if (pattern.isIn(line.text)) {
      for (const earlier of previous.splice(0)) yield show(earlier, false)
      yield show(line, true)
      stillToShow = after
    } else if (stillToShow > 0) {
      yield show(line, false)
      stillToShow--
    } else if (before > 0) {
      previous.push(line)
      if (previous.length > before) previous.shift()
    }
  }
}

function shorten({ text, is_long }: Line, pattern: SearchPattern | undefined): string {
  if (text.length <= SHOWN) return text
  const start = pattern ? Math.max(0, pattern.indexIn(text) - SHOWN_BEFORE) : 0
  const end = start + SHOWN
  const head = start > 0 ? '…' : ''
  const tail = end < text.length || (is_long && end >= MAX_LINE) ? '…' : ''
  return `${head}${text.slice(start, end).replace(HALVES, '')}${tail}`
}
