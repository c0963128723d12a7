import {
  columnOf,
  findColumns,
  GUTTER,
  isTurned,
  type Row,
  type Span,
  sizeOf,
  splitColumns,
} from './pdf-columns.ts'
import { median, type Piece } from './pdf-lines.ts'
import { isRightToLeft } from './pdf-right-to-left.ts'
import { CELL_LEADING, toTables } from './pdf-tables.ts'
import type { Cell } from './tables.ts'

/** A part of a page in reading order: a line, or the rows of a table. */
export type PageItem = { line: Line } | { rows: Cell[][] }

/** A whole line, and the ends of its column. */
export interface Line extends Piece {
  left: number
  right: number
}

/** The deepest nesting of columns in columns. */
const MAX_DEPTH = 6
/** The most pieces of a page in which columns are searched, and the most rows of a table. */
const MAX_PIECES = 10_000
const MAX_BAND_ROWS = 1000
const SAME_ROW = 0.35
/** The distance of rows that are not of one table, relative to that of others. */
const APART = 2.5

const BULLET =
  /^([•●○▪■□◦‣·∙*–—-]|\(?(\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|[(（]?[\d一二三四五六七八九十]{1,3}[)）、])$/

const SECTION = /^(\d{1,2}(\.\d{1,2}){0,4}|[A-Z](\.\d{1,2}){1,4}|§)\.?$/

/** Returns the lines and tables of a page or a part of it, in reading order. */
export function layOutPieces(pieces: readonly Piece[], depth = 0): PageItem[] {
  const left = pieces.reduce((least, { x0 }) => Math.min(least, x0), Infinity)
  const right = pieces.reduce((most, { x1 }) => Math.max(most, x1), -Infinity)
  const rows = joinBullets(toRows(pieces))
  const hasBands = depth < MAX_DEPTH && pieces.length <= MAX_PIECES
  const gutter = GUTTER * median(pieces.map(({ size }) => size))
  const items: PageItem[] = []
  /** The row before, if it may be the head of a table that follows. */
  let head: Row | undefined
  const addLine = (row: Row) => {
    items.push({ line: { ...joinPieces(row), left, right } })
    head = row
  }
  for (let start = 0; start < rows.length; ) {
    const end = hasBands ? findBand(rows, start, gutter) : start + 1
    let band = rows.slice(start, end)
    let columns = splitColumns(band)
    if (!columns) {
      band = band.slice(0, findCut(band))
      columns = splitColumns(band)
    }
    start += band.length
    if (columns) {
      if (isTurned(band)) columns.reverse()
      for (const column of columns) items.push(...layOutPieces(column, depth + 1))
      head = undefined
      continue
    }
    // A short line above a table does not belong to it, nor does one below.
    while (band.length > 0 && band[0]!.length < 2) addLine(band.shift()!)
    const tail: Row[] = []
    while (band.length > 0 && isTail(band)) tail.unshift(band.pop()!)
    if (isTable(band)) {
      if (head && head.length > 1 && isHeadOf(head, band)) {
        items.pop()
        band = [head, ...band]
      }
      items.push(...toTables(band))
      head = undefined
    } else for (const row of band) addLine(row)
    for (const row of tail) addLine(row)
  }
  return items
}

/** Puts the pieces of one height together. */
function toRows(pieces: readonly Piece[]): Row[] {
  const rows: { row: Row; y: number; size: number }[] = []
  for (const piece of [...pieces].sort((a, b) => a.y - b.y)) {
    const last = rows.at(-1)
    if (last && piece.y - last.y <= SAME_ROW * Math.min(last.size, piece.size)) last.row.push(piece)
    else rows.push({ row: [piece], y: piece.y, size: piece.size })
  }
  return rows.map(({ row }) => row.sort((a, b) => a.x0 - b.x0))
}

/** Joins the signs of lists to the text after them. */
function joinBullets(rows: readonly Row[]): Row[] {
  return rows.map((row) => {
    const [first, second, ...others] = row
    if (!first || !second) return row
    const isEntry = BULLET.test(first.text) && second.x0 - first.x1 < 4 * second.size
    const isHeading = SECTION.test(first.text) && row.length === 2 && /^\p{L}/u.test(second.text)
    if (!isEntry && !(isHeading && second.x0 - first.x1 < 3 * second.size)) return row
    return [{ ...joinPieces([first, second]) }, ...others]
  })
}

function joinPieces(row: Row): Piece {
  const [first] = row
  if (row.length === 1) return first!
  const ordered = isRightToLeft(row.map(({ text }) => text).join(' ')) ? [...row].reverse() : row
  const main = row.reduce((longest, piece) => (piece.text.length > longest.text.length ? piece : longest))
  return {
    ...main,
    text: ordered.map(({ text }) => text).join(' '),
    x0: Math.min(...row.map(({ x0 }) => x0)),
    x1: Math.max(...row.map(({ x1 }) => x1)),
    isBold: row.every(({ isBold }) => isBold),
  }
}

/** Returns the end of the rows from one on between which a gap stays free, from the upper to the lower ones. */
function findBand(rows: readonly Row[], start: number, gutter: number): number {
  let occupied: Span[] = []
  let end = start
  for (; end < rows.length && end - start < MAX_BAND_ROWS; end += 1) {
    const row = rows[end]!
    const more = mergeSpans([...occupied, ...row.map(({ x0, x1 }): Span => [x0, x1])], gutter)
    // The first row alone has no gap yet if it is a line of one column.
    if (more.length < 2 && end > start) {
      const isStart = end === start + 1 && rows[start]!.length < 2
      const hasNext = isStart && occupied.length === 1 && !overlaps(occupied[0]!, row)
      if (!hasNext) break
    }
    occupied = more
  }
  return occupied.length < 2 ? start + 1 : end
}

const overlaps = ([start, end]: Span, row: Row) => row.some(({ x0, x1 }) => x0 < end && x1 > start)
/** Joins ranges that overlap or whose gap is too narrow. */
function mergeSpans(spans: Span[], gutter: number): Span[] {
  const merged: Span[] = []
  for (const [start, end] of spans.sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last && start - last[1] < gutter) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}

/** Tells if the last row of a band is a line of its own: one piece, farther away than the rows are. */
function isTail(band: readonly Row[]): boolean {
  const [last, ...others] = band.at(-1)!
  if (others.length > 0) return false
  if (band.length < 2) return true
  const gap = (last!.y - band.at(-2)![0]!.y) / last!.size
  const first = Math.min(...band.map(([piece]) => piece!.x0))
  return gap > (last!.x0 - first < last!.size ? CELL_LEADING : APART)
}

/** Returns the number of rows up to the first that is far from the one before. */
function findCut(band: readonly Row[]): number {
  const gaps = band.slice(1).map((row, index) => row[0]!.y - band[index]![0]!.y)
  const limit = median(gaps) * APART
  const index = gaps.findIndex((gap, at) => gap > limit && gap > APART * sizeOf(band[at]!))
  return index < 0 ? band.length : index + 1
}

function isTable(band: readonly Row[]): boolean {
  return band.filter(({ length }) => length > 1).length > 1
}

/** Tells if a row is the head of the table below: close to it, and each of its pieces over other columns. */
function isHeadOf(head: Row, band: readonly Row[]): boolean {
  const spans = findColumns(band, 0)
  const distance = band[0]![0]!.y - head[0]!.y
  if (distance > 3 * sizeOf(head) || head.length > spans.length) return false
  return new Set(head.map((piece) => columnOf(spans, piece))).size === head.length
}
