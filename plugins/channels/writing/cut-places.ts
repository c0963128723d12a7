import type { FenceState } from './fences.ts'

const PARAGRAPH = /\n[ \t\r]*\n/g
const LINE = /\n/g
const SENTENCE = /[.!?…]["'”’)\]]*\s|[。！？；]["'”’）】]*/g
const WORD = /\s/g

/** Code units before a cut that are searched for the end of a whole character. */
const GRAPHEME_WINDOW = 64

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * Lists places to cut a text in `[start, limit]`, best first: after a paragraph, a line, a sentence, a word, or between
 * two characters. Text from `known` on has no influence. `lines` are the lines from `start` on.
 */
export function listCuts(
  markdown: string,
  {
    start,
    limit,
    known,
    lines,
  }: { start: number; limit: number; known: number; lines: readonly FenceState[] },
): number[] {
  // Includes the space that may follow the last word.
  const text = markdown.slice(start, Math.min(limit + 1, known))
  const stateAt = (place: number) => lines.findLastIndex((state) => state.place <= place)
  const isOutside = (place: number) => !lines[stateAt(place)]?.open
  const isWithin = (place: number) => {
    const index = stateAt(place)
    // No cut between the first line of a code block and its content: the block is better begun after the cut.
    return lines[index]?.place !== place || !!lines[index - 1]?.open === !!lines[index]?.open
  }
  const findLast = (pattern: RegExp, share: number, isFit: (place: number) => boolean) => {
    const places = Array.from(text.matchAll(pattern), (match) =>
      Math.min(limit, start + match.index + match[0].length),
    )
    return places.findLast((place) => place >= start + text.length * share && isFit(place))
  }
  return [
    findLast(PARAGRAPH, 1 / 2, isOutside),
    findLast(LINE, 1 / 3, isOutside),
    findLast(LINE, 1 / 3, isWithin),
    findLast(SENTENCE, 1 / 3, isOutside),
    findLast(WORD, 1 / 3, () => true),
    betweenCharacters(markdown, start, limit),
  ].filter((place) => place !== undefined)
}

/** Returns the last place between two whole characters, or `limit` if none is near. */
function betweenCharacters(markdown: string, start: number, limit: number): number {
  const first = Math.max(start, limit - GRAPHEME_WINDOW)
  const places = Array.from(graphemes.segment(markdown.slice(first, limit)), ({ index }) => first + index)
  // The last character may continue after the limit, so it is left out.
  return places.findLast((place) => place > first && !splitsPair(markdown, place)) ?? limit
}

/** True if a place is between the two code units of a surrogate pair. */
const splitsPair = (text: string, place: number) =>
  /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(place - 1, place + 1))
