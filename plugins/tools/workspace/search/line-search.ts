import type { RE2JS } from 're2js'
import { FileFailure } from '../files/file-failure.ts'

/** The most instructions of a compiled pattern, each of which may run once per character. */
const MAX_PROGRAM = 10_000

const RULES =
  'Regular expressions are those of RE2: no lookahead, lookbehind, backreferences, atomic groups or possessive quantifiers, and counted repetitions up to 1000'

/** A pattern to find in lines. */
export type SearchPattern = Awaited<ReturnType<typeof compilePattern>>

/** Compiles a pattern that matches in linear time. Throws a FileFailure with the reason. */
export async function compilePattern(
  pattern: string,
  { literal = false, ignore_case = false }: { literal?: boolean; ignore_case?: boolean },
) {
  // Loaded with the first search, not at each start.
  const { RE2JS: engine } = await import('re2js')
  const expression = compile(engine, literal ? engine.quote(pattern) : pattern, ignore_case)
  if (expression.programSize() > MAX_PROGRAM)
    throw new FileFailure('the pattern is too large; use smaller counts of repetition, or fewer of them')
  return {
    isIn: (line: string): boolean => expression.test(line),
    /** Returns the position of the first match, in UTF-16 units. */
    indexIn(line: string): number {
      const matcher = expression.matcher(line)
      return matcher.find() ? matcher.start() : 0
    },
  }
}

function compile(engine: typeof RE2JS, pattern: string, ignoreCase: boolean): RE2JS {
  try {
    return engine.compile(pattern, ignoreCase ? engine.CASE_INSENSITIVE : 0)
  } catch (error) {
    const [reason = ''] = (error as Error).message.replace(/^error parsing regexp: /, '').split('\n')
    const shown = reason.length > 200 ? `${reason.slice(0, 200)}…` : reason
    throw new FileFailure(`the pattern cannot be used: ${shown}. ${RULES}`, { cause: error })
  }
}

/** The beginning of a line that is searched, in UTF-16 units. */
export const MAX_LINE_CHARS = 64 * 1024

/** One line of a text, without its line end. */
interface Line {
  /** Counted from 1. */
  number: number
  /** At most its first MAX_LINE_CHARS. */
  text: string
  /** True if the line is longer. */
  is_long: boolean
}

/** Yields the lines of a text; a final newline does not begin another line. */
function* splitLines(text: string): Generator<Line> {
  let from = text.startsWith('\ufeff') ? 1 : 0
  for (let number = 1; from < text.length; number++) {
    const newline = text.indexOf('\n', from)
    const next = newline < 0 ? text.length : newline
    const end = newline >= 0 && text[next - 1] === '\r' && next > from ? next - 1 : next
    yield {
      number,
      text: text.slice(from, Math.min(end, from + MAX_LINE_CHARS)),
      is_long: end - from > MAX_LINE_CHARS,
    }
    from = next + 1
  }
}

/** The most UTF-16 units of a line that are shown, and of them before the first match. */
const MAX_SHOWN_CHARS = 400
const SHOWN_BEFORE_CHARS = 100

/** Lone surrogates, which a cut within a character leaves. */
const LONE_SURROGATES = /\p{Surrogate}/gu

/** The numbers of lines to show before and after a match. */
export interface Surroundings {
  linesBefore: number
  linesAfter: number
}

/** A matching line or one around it; `has_gap` is true if lines before it are not shown. */
interface ShownLine {
  number: number
  text: string
  is_match: boolean
  has_gap: boolean
}

/**
 * Yields the matching lines of a text, with those around them. Calls `onLine` for each line, which ends the search by
 * returning false.
 */
export function* findMatches(
  text: string,
  {
    pattern,
    linesBefore,
    linesAfter,
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
  for (const line of splitLines(text)) {
    if (!onLine(line)) return
    if (pattern.isIn(line.text)) {
      for (const earlier of previous.splice(0)) yield show(earlier, false)
      yield show(line, true)
      stillToShow = linesAfter
    } else if (stillToShow > 0) {
      yield show(line, false)
      stillToShow--
    } else if (linesBefore > 0) {
      previous.push(line)
      if (previous.length > linesBefore) previous.shift()
    }
  }
}

function shorten({ text, is_long }: Line, pattern: SearchPattern | undefined): string {
  if (text.length <= MAX_SHOWN_CHARS) return text
  const start = pattern ? Math.max(0, pattern.indexIn(text) - SHOWN_BEFORE_CHARS) : 0
  const end = start + MAX_SHOWN_CHARS
  const head = start > 0 ? '…' : ''
  const tail = end < text.length || (is_long && end >= MAX_LINE_CHARS) ? '…' : ''
  return `${head}${text.slice(start, end).replace(LONE_SURROGATES, '')}${tail}`
}
