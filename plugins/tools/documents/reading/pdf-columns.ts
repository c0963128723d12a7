import { median, type Piece } from './pdf-lines.ts'
import { isRightToLeft } from './pdf-right-to-left.ts'

/** Pieces at one height, from the left. */
export type Row = Piece[]
/** The ends of a column. */
export type Span = [start: number, end: number]

/** The narrowest gap between columns, relative to the size of type. */
export const GUTTER = 0.45
/** A line whose words take this part of its column's width is filled. */
const FILLED = 0.72
/** The columns of a table have rows at the same height at least in this part. */
const ALIGNED = 0.6
/** Characters of a line of text of a column; ideographs count twice. */
const PROSE_CHARS = 18
/** The rows of a table have several cells at least in this part; others are lines of a cell. */
const MULTIPLE = 0.34
/** The characters of a line beside a table that is not a cell of it, on average. */
const BESIDE_CHARS = 40

/** Tells if rows are read from right to left. */
export const isTurned = (band: readonly Row[]) =>
  isRightToLeft(
    band
      .flat()
      .map(({ text }) => text)
      .join(' '),
  )

/** Returns the greatest size of a row's type. */
export const sizeOf = (row: Row) => row.reduce((most, { size }) => Math.max(most, size), 1)

/** Returns the columns of rows; `exceptions` rows may cover the gap between two, e.g. a head over several columns. */
export function findColumns(band: readonly Row[], exceptions: number): Span[] {
  const events: [x: number, change: number][] = []
  for (const row of band) for (const { x0, x1 } of row) events.push([x0, 1], [x1, -1])
  events.sort((a, b) => a[0] - b[0] || b[1] - a[1])
  const gutter = GUTTER * median(band.map(sizeOf))
  const spans: Span[] = []
  let depth = 0
  for (const [x, change] of events) {
    const lastDepth = depth
    depth += change
    if (lastDepth <= exceptions && depth > exceptions) {
      const last = spans.at(-1)
      if (last && x - last[1] < gutter) continue
      spans.push([x, x])
    } else if (lastDepth > exceptions && depth <= exceptions) spans.at(-1)![1] = x
  }
  return spans
}

/** Returns the column that a piece covers most, or that is nearest. */
export function columnOf(spans: readonly Span[], { x0, x1 }: Piece): number {
  let best = 0
  let most = -Infinity
  for (const [index, [start, end]] of spans.entries()) {
    const common = Math.min(end, x1) - Math.max(start, x0)
    if (common > most) [best, most] = [index, common]
  }
  return best
}

/** Returns the columns of rows if each is to be read to its end, not as columns of a table. */
export function splitColumns(band: readonly Row[]): Piece[][] | undefined {
  if (band.length < 2) return undefined
  const spans = findColumns(band, 0)
  if (spans.length < 2) return undefined
  const counts = spans.map(() => 0)
  let together = 0
  const columns = spans.map(() => [] as Piece[])
  for (const row of band) {
    const indexes = new Set(row.map((piece) => columnOf(spans, piece)))
    for (const index of indexes) counts[index]! += 1
    if (indexes.size > 1) together += 1
    for (const piece of row) columns[columnOf(spans, piece)]!.push(piece)
  }
  if (together < ALIGNED * Math.min(...counts) || together < MULTIPLE * band.length) return columns
  if (columns.every((column, index) => isProse(column, spans[index]!))) return columns
  if (spans.length === 2 && columns.every(hasSentences)) return columns
  // Text beside a table.
  const isBeside = (index: number) =>
    counts[index]! < band.length * ALIGNED &&
    columns[index]!.reduce((sum, { text }) => sum + text.length, 0) > columns[index]!.length * BESIDE_CHARS
  if (spans.length > 2 && isBeside(0)) return [columns[0]!, columns.slice(1).flat()]
  if (spans.length > 2 && isBeside(spans.length - 1)) return [columns.slice(0, -1).flat(), columns.at(-1)!]
  return undefined
}

/** Tells if the lines of a column are filled with text. */
function isProse(lines: readonly Piece[], [start, end]: Span): boolean {
  if (lines.length < 3) return false
  const filled = lines.filter(({ x0, x1 }) => x1 - x0 >= FILLED * (end - start))
  const length = median(
    lines.map(({ text }) => text.length + (text.match(/\p{sc=Han}|\p{sc=Hangul}/gu)?.length ?? 0)),
  )
  return filled.length >= lines.length * 0.55 && length >= PROSE_CHARS
}

/** Tells if the lines of a column are sentences over several lines. */
function hasSentences(lines: readonly Piece[]): boolean {
  const ends = lines.filter(({ text }) => /\p{L}{2}[.。]$/u.test(text)).length
  return lines.length > 3 && ends >= lines.length / 4 && ends < lines.length * 0.7
}
