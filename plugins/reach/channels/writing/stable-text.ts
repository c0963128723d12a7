import { type FenceState, fenceAfter, isLeft } from './message-source.ts'
import type { Survey } from './survey.ts'

/** The beginning of a message that later text cannot change. */
export interface Stable {
  /** Its end in the source. */
  offset: number
  /** The rendered text. */
  text: string
}

const BLOCK_END = /\n[ \t\r]*\n(?=\S)/g

/** Lists the ends of blocks: an empty line followed by an unindented line, outside code. */
export function listBlockEnds(markdown: string, from: number, to: number, { lines }: Survey): number[] {
  return Array.from(
    markdown.slice(from, to).matchAll(BLOCK_END),
    ({ index, 0: gap }) => from + index + gap.length,
  ).filter((end) => !lines.findLast(({ offset }) => offset <= end)?.open)
}

/** The parts of a line that may be marks, words, and the space between them. */
const LINE_PART = /\\.|`+|[*_~]+|!?\[|\]\(|[\]()<>]|\s+|[^\\`*_~![\]()<>\s]+|./gsu

const SPACE = /^\s/u
const LETTER = /^[\p{L}\p{N}]/u

/** Tracks the open marks of a paragraph, part by part; in doubt a mark counts as open. */
type OpenMarks = ReturnType<typeof createOpenMarks>

/** Creates the tracker for a sequence of paragraphs. */
function createOpenMarks() {
  /** Open backticks, brackets, angles, and runs of stars, underscores and tildes. */
  const open: string[] = []

  /** Closes the last matching mark and the marks opened within it. */
  const close = (like: (mark: string) => boolean): string | undefined => {
    const index = open.findLastIndex(like)
    return index < 0 ? undefined : open.splice(index)[0]
  }

  const takeRun = (run: string, previous: string, behind: string) => {
    const isInWord = run.startsWith('_') && LETTER.test(previous) && LETTER.test(behind)
    // A single tilde is no mark: people write it as punctuation.
    if (isInWord || run === '~') return
    let left = run.length
    while (left > 0 && previous !== '' && !SPACE.test(previous)) {
      const closed = close((mark) => mark.startsWith(run[0]!))
      if (!closed) break
      if (closed.length > left) open.push(closed.slice(left))
      left = Math.max(0, left - closed.length)
    }
    if (left > 0 && !SPACE.test(behind)) open.push(run.slice(0, left))
  }

  return {
    areClosed: (): boolean => open.length === 0,
    /** Clears the open marks at the end of a paragraph. */
    clear: () => void open.splice(0),

    /** Takes the next part of a line, with the text of the line before and after it. */
    take(part: string, previous: string, behind: string) {
      const top = open.at(-1)
      if (top?.startsWith('`')) {
        if (part === top) open.pop()
      } else if (part.startsWith('`')) open.push(part)
      else if (/^[*_~]/.test(part)) takeRun(part, [...previous.slice(-2)].at(-1) ?? '', behind)
      else if (/^!?\[/.test(part)) open.push('[')
      else if (part.startsWith(']')) {
        if (close((mark) => mark === '[') && part === '](') open.push('(')
      } else if (part === '(' && top === '(') open.push('(')
      else if (part === ')' && top === '(') open.pop()
      else if (part === '<' && /^(?:[a-z/!?]|$)/i.test(behind)) open.push('<')
      else if (part === '>') close((mark) => mark === '<')
    },
  }
}

/** The marks before the first word of a line: quotes, headings, list items and task boxes. */
const LINE_START = /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)]|#{1,6})(?:[ \t]+|$)[ \t>]*)*(?:\[[ xX]\][ \t]+)?/
/** A line that does not continue the paragraph before it. */
const BLOCK_START = /^[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)]|#{1,6})[ \t]|\n|$)/
const HEADING = /^[ \t]*#{1,6}[ \t]/

/** A letter of a script without spaces, with its combining marks, followed by another known character. */
const UNSPACED_LETTER =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303f\uff01-\uff65]\p{M}*(?=\P{M})/gsu

const ADDRESS = /(?:https?:\/\/|www\.)/i

/** A part of a growing text. */
interface Section {
  /** The beginning of its first paragraph, and the end of the known text. */
  from: number
  to: number
  /** Its lines, from the line of `from` on. */
  lines: readonly FenceState[]
  /** From this offset on, words count as finished only with their whole line. */
  late: number
}

/**
 * Returns the end of the part that may be shown: after a finished word, line or block of code, with no mark open, and
 * before a line that may belong to a table. The end never moves back while the text grows. Returns `from` if nothing is
 * finished.
 */
export function findFinishedEnd(markdown: string, { from, to, lines, late }: Section): number {
  const marks = createOpenMarks()
  let end = from
  for (const [index, { offset, open }] of lines.entries()) {
    if (offset >= to) break
    const next = lines[index + 1]
    if (next && next.offset <= from) continue
    const isWhole = next !== undefined && next.offset <= to
    const begin = Math.max(offset, from)
    const line = markdown.slice(begin, isWhole ? next.offset : to)
    const after = isWhole ? next.open : fenceAfter(markdown.slice(offset, to), open)
    if ((open && !isLeft(line, open)) || after) {
      marks.clear()
      if (isWhole && !after) end = next.offset
      continue
    }
    if (BLOCK_START.test(line)) marks.clear()
    const margin = LINE_START.exec(line)![0].length
    if (line[margin] === '|') break
    end = begin + (findLastWordEnd(line, { margin, limit: late - begin, marks }) ?? end - begin)
    if (isWhole && marks.areClosed()) end = next.offset
    if (HEADING.test(line)) marks.clear()
  }
  return end
}

/** Returns the end of the last finished word of a line up to a limit, with no mark open; undefined if there is none. */
function findLastWordEnd(
  line: string,
  { margin, limit, marks }: { margin: number; limit: number; marks: OpenMarks },
): number | undefined {
  let end: number | undefined
  let wordStart = margin
  for (const { 0: part, index } of line.slice(margin).matchAll(LINE_PART)) {
    const start = margin + index
    const behind = start + part.length
    marks.take(part, line.slice(margin, start), line.slice(behind))
    const ends = marks.areClosed() ? listWordEnds(line, { start, behind, wordStart }) : []
    end = ends.findLast((offset) => offset <= limit) ?? end
    if (part.trim() === '') wordStart = behind
  }
  return end
}

/** Lists the ends of words in a part of a line: after a space, or after a letter of a script without spaces. */
function listWordEnds(
  line: string,
  { start, behind, wordStart }: { start: number; behind: number; wordStart: number },
): number[] {
  const isSpace = line.slice(start, behind).trim() === ''
  if (isSpace) return start > wordStart ? [behind] : []
  const address = line.slice(wordStart).search(ADDRESS)
  const last = address < 0 ? behind : Math.min(behind, wordStart + address)
  return Array.from(
    line.slice(start, behind + 2).matchAll(UNSPACED_LETTER),
    ({ 0: letter, index }) => start + index + letter.length,
  ).filter((offset) => offset <= last)
}
