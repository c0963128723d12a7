import { type Block, tidy } from './blocks.ts'
import type { PlaceIndex, Run } from './html-places.ts'
import type { Piece } from './html-table.ts'

/** The longest text with a single place. */
const MAX_PLACE_CHARS = 1000
const MIN_PLACE_CHARS = 400

// Two characters that are in no text, around what the page does not have there.
const [BEGIN, END] = ['\ufdd0', '\ufdd1']
const MARKS = /[\ufdd0\ufdd1]/g

/** Marks a text that the page does not have at this place. */
export const markAdded = (text: string): string => BEGIN + text + END

/** Marks a place where the page has something else, perhaps with a text for it. */
export const markReplaced = (text = ''): string => (text && markAdded(text)) + BEGIN + END

/** Removes the marks. */
export const withoutMarks = (text: string): string => text.replace(MARKS, '')

/** Parts of a marked text: an added text, a line end, or a text of the page. */
const PARTS = /\ufdd0([^\ufdd1]*)\ufdd1|(\n)|([^\ufdd0\ufdd1\n]+)/g

/** A text of the page before it is added to the index; see Run. */
interface OwnText {
  at: number
  text: string
  /** True if the page has something else just before it. */
  isAfterGap: boolean
}

/** Returns the tidy text of a block without the marks, and the texts of the page in it. */
export function splitRuns(kind: Block['kind'], marked: string) {
  const runs: OwnText[] = []
  const parts: string[] = []
  let length = 0
  let last = kind === 'code' ? undefined : ' '
  let hasGap = false
  const append = (part: string) => {
    const text = last === ' ' || last === '\n' ? part.replace(/^ +/, '') : part
    if (text === '') return text
    parts.push(text)
    length += text.length
    if (kind !== 'code') last = text.at(-1)
    return text
  }
  for (const [, added, lineEnd, own] of tidy({ kind, text: marked }).matchAll(PARTS)) {
    if (added === '') hasGap = true
    else if (added !== undefined || lineEnd !== undefined) append(added ?? lineEnd!)
    else {
      const start = length
      const text = append(own!)
      const run = text.trim()
      if (run === '') continue
      runs.push({ at: start + text.search(/\S/), text: run, isAfterGap: hasGap })
      hasGap = false
    }
  }
  return { text: parts.join(''), runs, hasGap }
}

/** Returns the blocks of some pieces with their places, long ones with several. */
export function addPlaces(pieces: readonly Piece[], index: PlaceIndex): Block[] {
  const blocks = pieces.map(({ block, runs = [] }) => {
    const starts = block.kind === 'row' ? [0] : [...listStarts(block.text)]
    return { block, starts, runs: cutRuns(runs, starts) }
  })
  const places = index.findPlaces(blocks.flatMap(({ runs }) => runs)).values()
  return blocks.map(({ block, starts }) => ({
    ...block,
    places: starts.map((at) => ({ at, anchor: places.next().value })),
  }))
}

/** Returns the runs of each part of a text; a run over several parts is cut. */
function cutRuns(runs: readonly Run[], starts: readonly number[]): Run[][] {
  let next = 0
  return starts.map((start, n) => {
    const end = starts[n + 1] ?? Number.POSITIVE_INFINITY
    const part: Run[] = []
    for (; next < runs.length && runs[next]!.at < end; next += 1) {
      const run = runs[next]!
      const from = Math.max(0, start - run.at)
      const text = run.text.slice(from, end - run.at)
      const offset = from + text.search(/\S|$/)
      if (text.trim() !== '') part.push({ ...run, at: run.at + offset, offset, text: text.trim() })
      if (run.at + run.text.length > end) break
    }
    return part
  })
}

const SENTENCE_ENDS = /[.!?…:;]["”’»)]*\s|[。！？；]["”’」』）]*/gu

/** Yields the characters at which the parts of a long text begin: lines, sentences or at least words. */
function* listStarts(text: string): Generator<number> {
  let start = 0
  yield start
  while (text.length - start > MAX_PLACE_CHARS) {
    const window = text.slice(start + MIN_PLACE_CHARS, start + MAX_PLACE_CHARS)
    const sentence = [...window.matchAll(SENTENCE_ENDS)].at(-1)
    const end =
      window.lastIndexOf('\n') + 1 ||
      (sentence && sentence.index + sentence[0].length) ||
      window.lastIndexOf(' ') + 1 ||
      window.length
    start += MIN_PLACE_CHARS + end
    yield start
  }
}
