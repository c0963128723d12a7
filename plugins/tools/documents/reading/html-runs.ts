import { type Block, tidy } from './blocks.ts'
import type { PlaceIndex, Run } from './html-places.ts'
import type { Piece } from './html-table.ts'

/** The longest text with a single place. */
const MAX_PLACE_CHARS = 1000
const MIN_PLACE_CHARS = 400

// Two characters that are in no text; what is between them is not on the page, or something else is there.
const [BEGIN, END] = ['\ufdd0', '\ufdd1']
const MARKS = /[\ufdd0\ufdd1]/g

/** Marks a text that is not a part of the page where it stands; without a text, a place where the page has more. */
export const markAdded = (text = ''): string => BEGIN + text + END

/** Removes the marks. */
export const withoutMarks = (text: string): string => text.replace(MARKS, '')

/** Parts of a marked text: an added text, a line end, or a text of the page. */
const PARTS = /\ufdd0([^\ufdd1]*)\ufdd1|(\n)|([^\ufdd0\ufdd1\n]+)/g

/** Returns the tidy text of a block without the marks, and the texts of the page in it. */
export function splitRuns(kind: Block['kind'], marked: string): { text: string; runs: Omit<Run, 'index'>[] } {
  const runs: Omit<Run, 'index'>[] = []
  let text = ''
  const append = (part: string) => {
    const isApart = kind !== 'code' && (text === '' || text.endsWith(' ') || text.endsWith('\n'))
    text += isApart ? part.replace(/^ +/, '') : part
  }
  for (const [, added, lineEnd, own] of tidy({ kind, text: marked }).matchAll(PARTS)) {
    if (added !== undefined) append(added)
    else if (lineEnd !== undefined) text = (kind === 'code' ? text : text.trimEnd()) + lineEnd
    else {
      const before = text.length
      append(own!)
      const run = text.slice(before)
      if (run.trim() !== '') runs.push({ at: before + run.search(/\S/), text: run.trim() })
    }
  }
  return { text, runs }
}

/** Returns the blocks of some pieces with their places, long ones with several. */
export function addPlaces(pieces: readonly Piece[], index: PlaceIndex): Block[] {
  const blocks = pieces.map(({ block, runs = [] }) => {
    const starts = block.kind === 'row' ? [0] : [...listStarts(block.text)]
    return { block, starts, runs: starts.map((start, n) => listRuns(runs, start, starts[n + 1])) }
  })
  const places = index.findPlaces(blocks.flatMap(({ runs }) => runs)).values()
  return blocks.map(({ block, starts }) => ({
    ...block,
    places: starts.map((at) => ({ at, place: places.next().value })),
  }))
}

/** Returns the runs from one character to another; one that begins before is cut. */
const listRuns = (runs: readonly Run[], from: number, to = Number.POSITIVE_INFINITY): Run[] =>
  runs
    .filter(({ at, text }) => at < to && at + text.length > from)
    .map((run) =>
      run.at < from ? { ...run, at: from, text: run.text.slice(from - run.at).trimStart() } : run,
    )

/** Yields the characters at which the parts of a long text begin: lines, sentences or at least words. */
function* listStarts(text: string): Generator<number> {
  let start = 0
  yield start
  while (text.length - start > MAX_PLACE_CHARS) {
    const window = text.slice(start + MIN_PLACE_CHARS, start + MAX_PLACE_CHARS)
    const ends = [/[\s\S]*\n/, /[\s\S]*(?:[.!?…:;]["”’»)]*\s|[。！？；]["”’」』）]*)/u, /[\s\S]*\s/].map(
      (end) => end.exec(window)?.[0].length,
    )
    start += MIN_PLACE_CHARS + (ends.find((length) => length !== undefined) ?? window.length)
    yield start
  }
}
