import type { FenceState } from './fences.ts'

const PARAGRAPH = /\n[ \t\r]*\n/g
const LINE = /\n/g
const SENTENCE = /[.!?…]["'”’)\]]*\s|[。！？；]["'”’）】]*/g
const WORD = /\s/g

/** How many code units before a cut are looked at for whole characters. */
const NEIGHBOURHOOD = 64

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * Places to cut a text at, in `[start, limit]`, best first: behind a paragraph, a line, a sentence, a word, or between
 * two characters. Nothing from `known` on has a say. `lines` are those from `start` on.
 */
export function cutPlaces(
  markdown: string,
  {
    start,
    limit,
    known,
    lines,
  }: { start: number; limit: number; known: number; lines: readonly FenceState[] },
): number[] {
  // With the space that may stand behind the last word.
  const text = markdown.slice(start, Math.min(limit + 1, known))
  const stateAt = (place: number) => lines.findLastIndex((state) => state.place <= place)
  const isOutside = (place: number) => !lines[stateAt(place)]?.open
  const isWithin = (place: number) => {
    const index = stateAt(place)
    // A block of code that has only its first line is better begun behind the cut.
    return lines[index]?.place !== place || !!lines[index - 1]?.open === !!lines[index]?.open
  }
  const last = (pattern: RegExp, share: number, isFit: (place: number) => boolean) => {
    const places = Array.from(text.matchAll(pattern), (match) =>
      Math.min(limit, start + match.index + match[0].length),
    )
    return places.findLast((place) => place >= start + text.length * share && isFit(place))
  }
  return [
    last(PARAGRAPH, 1 / 2, isOutside),
    last(LINE, 1 / 3, isOutside),
    last(LINE, 1 / 3, isWithin),
    last(SENTENCE, 1 / 3, isOutside),
    last(WORD, 1 / 3, () => true),
    betweenCharacters(markdown, start, limit),
  ].filter((place) => place !== undefined)
}

/** The last place between two whole characters, where there is one nearby. */
function betweenCharacters(markdown: string, start: number, limit: number): number {
  const first = Math.max(start, limit - NEIGHBOURHOOD)
  const places = Array.from(graphemes.segment(markdown.slice(first, limit)), ({ index }) => first + index)
  // The last character may go on behind the limit, so it is left out.
  return places.findLast((place) => place > first && !splitsPair(markdown, place)) ?? limit
}

/** Whether a place lies in the middle of a character of two code units. */
const splitsPair = (text: string, place: number) =>
  /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(place - 1, place + 1))
