import { type Limits, measureAllEscaped, measureEscaped } from './dialects.ts'
import { type FenceState, fenceAfter, type OpenFence, type PartStart, toClosing } from './message-source.ts'

/** The extent of a message, estimated by the maximum lengths of its characters. */
export interface Survey {
  /** The first offset that does not fit even as escaped source, or the end of the text. */
  reach: number
  /** True if the text continues after `reach`. */
  is_over: boolean
  /** Places at which to measure the rendered text, at even distances in estimated length. */
  checkpoints: number[]
  /** The offset from which the message is three quarters full. */
  late: number
  /** The lines from the start up to `reach`. */
  lines: FenceState[]
}

/** Number of checkpoints per full message; those in its first quarter are left out. */
const CHECKPOINTS = 16

/** True if a message has room for reopening and closing this code. */
export const canReopen = (open: OpenFence, limits: Limits) =>
  measureAllEscaped(`${open.opening}\n${toClosing(open, null)}`, limits) * 2 <= limits.max_length

/** Returns the text that closes the code that is open at `end`; empty if no code is open or it cannot be reopened. */
export function findClosing(
  markdown: string,
  end: number,
  line: FenceState,
  start: PartStart,
  limits: Limits,
): string {
  const { open } = line
  // A beginning of the closing line, cut in its middle, may already close the code.
  const isOpen = open && fenceAfter(markdown.slice(line.offset, end), open) === open
  return isOpen && canReopen(open, limits) ? toClosing(open, start.reopened) : ''
}

/** Surveys the text of one message. Does not depend on text after `reach`. */
export function surveyPart(markdown: string, start: PartStart, limits: Limits): Survey {
  const { max_length } = limits
  const { reopened, content } = start
  // The second half of a surrogate pair may follow.
  const end = /[\ud800-\udbff]$/.test(markdown) ? markdown.length - 1 : markdown.length
  const lines = [start.state]
  const checkpoints: number[] = []
  let late = Number.POSITIVE_INFINITY
  let spent = reopened ? measureAllEscaped(`${reopened.opening}\n`, limits) : 0
  const measureEnding = (open: OpenFence | null) =>
    open && canReopen(open, limits) ? measureAllEscaped(toClosing(open, reopened), limits) : 0
  let ending = measureEnding(start.state.open)

  for (let offset = content; offset < end; ) {
    const character = String.fromCodePoint(markdown.codePointAt(offset)!)
    const next = offset + character.length
    const line = lines.at(-1)!
    const isLineEnd = character === '\n'
    const open = isLineEnd ? fenceAfter(markdown.slice(line.offset, offset), line.open) : line.open
    if (isLineEnd) ending = measureEnding(open)
    spent += measureEscaped(character, limits)
    // A message takes at least one character, even if the limit is shorter.
    if (spent + ending > max_length && offset > content)
      return { reach: offset, is_over: true, checkpoints, late: Math.min(late, offset), lines }
    if (isLineEnd) lines.push({ offset: next, open })
    if (spent * 4 >= max_length * 3) late = Math.min(late, next)
    if (spent * CHECKPOINTS >= max_length * (CHECKPOINTS / 4 + checkpoints.length)) checkpoints.push(next)
    offset = next
  }
  return { reach: end, is_over: false, checkpoints, late: Math.min(late, end), lines }
}

const PARAGRAPH = /\n[ \t\r]*\n/g
const LINE = /\n/g
const SENTENCE = /[.!?…]["'”’)\]]*\s|[。！？；]["'”’）】]*/g
const WORD = /\s/g

/** Code units before a cut that are searched for the end of a whole character. */
const GRAPHEME_WINDOW = 64

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * Lists offsets to cut a text in `[start, limit]`, best first: after a paragraph, a line, a sentence, a word, or between
 * two characters. Text from `end` on has no influence. `lines` are the lines from `start` on.
 */
export function listCuts(
  markdown: string,
  { start, limit, end, lines }: { start: number; limit: number; end: number; lines: readonly FenceState[] },
): number[] {
  // Includes the space that may follow the last word.
  const text = markdown.slice(start, Math.min(limit + 1, end))
  const stateAt = (offset: number) => lines.findLastIndex((state) => state.offset <= offset)
  const isOutside = (offset: number) => !lines[stateAt(offset)]?.open
  const isWithin = (offset: number) => {
    const index = stateAt(offset)
    // No cut between the first line of a code block and its content: the block is better begun after the cut.
    return lines[index]?.offset !== offset || !!lines[index - 1]?.open === !!lines[index]?.open
  }
  const findLast = (pattern: RegExp, share: number, isFit: (offset: number) => boolean) => {
    const offsets = Array.from(text.matchAll(pattern), (match) =>
      Math.min(limit, start + match.index + match[0].length),
    )
    return offsets.findLast((offset) => offset >= start + text.length * share && isFit(offset))
  }
  return [
    findLast(PARAGRAPH, 1 / 2, isOutside),
    findLast(LINE, 1 / 3, isOutside),
    findLast(LINE, 1 / 3, isWithin),
    findLast(SENTENCE, 1 / 3, isOutside),
    findLast(WORD, 1 / 3, () => true),
    betweenCharacters(markdown, start, limit),
  ].filter((offset) => offset !== undefined)
}

/** Returns the last offset between two whole characters, or `limit` if none is near. */
function betweenCharacters(markdown: string, start: number, limit: number): number {
  const first = Math.max(start, limit - GRAPHEME_WINDOW)
  const offsets = Array.from(graphemes.segment(markdown.slice(first, limit)), ({ index }) => first + index)
  // The last character may continue after the limit, so it is left out.
  return offsets.findLast((offset) => offset > first && !splitsPair(markdown, offset)) ?? limit
}

/** True if an offset is between the two code units of a surrogate pair. */
const splitsPair = (text: string, offset: number) =>
  /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(offset - 1, offset + 1))
