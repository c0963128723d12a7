import { columnOf, findColumns, isTurned, type Row, type Span, sizeOf } from './pdf-columns.ts'
import type { PageItem } from './pdf-layout.ts'
import { median, type Piece } from './pdf-lines.ts'
import type { Cell } from './tables.ts'

/** The distance of lines of one cell, relative to their size. */
export const CELL_LEADING = 1.35

/** Converts rows of pieces to a table, or to one for each row if they have no head. */
export function toTables(band: readonly Row[]): PageItem[] {
  const rows = toTable(band)
  const isBold = band[0]!.every((piece) => piece.isBold) && !band.flat().every((piece) => piece.isBold)
  return isBold || hasHead(rows) ? [{ rows }] : rows.map((row) => ({ rows: [row] }))
}

const DIGIT = /\p{Nd}/u

/** Tells if a row begins with the name of what is in its next cell. */
const isLabel = ([first]: Cell[]) => /[:：]$/.test(first!.text)

/** Tells if the first row of a table says what is in its columns: it has words where the others have numbers. */
function hasHead([head, ...others]: Cell[][]): boolean {
  if (!head || head.some(({ text }) => DIGIT.test(text)) || isLabel(head) || others.every(isLabel))
    return false
  if (head.length > 2 && head.every(({ text }) => text !== '')) return true
  return head.some(({ text }, column) => {
    const cells = others.flatMap((row) => row[column]?.text || [])
    return text !== '' && cells.filter((cell) => DIGIT.test(cell)).length > cells.length * 0.6
  })
}

/** Converts pieces to rows of a table; lines of one cell are joined. */
function toTable(band: readonly Row[]): Cell[][] {
  const full = band.filter(({ length }) => length > 1)
  const strict = findColumns(full, 0)
  const tolerant = full.length >= 3 ? findColumns(full, Math.max(1, Math.floor(full.length * 0.15))) : strict
  const spans = tolerant.length > strict.length ? tolerant : strict
  const texts: { cells: Cell[]; y: number; size: number }[] = []
  const pitches = band.slice(1).map((row, index) => row[0]!.y - band[index]![0]!.y)
  const pitch = pitches.sort((a, b) => a - b)[Math.floor(pitches.length * 0.7)] ?? 0
  for (const { cells, row } of joinWrapped(band, spans)) {
    const last = texts.at(-1)
    const size = sizeOf(row)
    const gap = last ? row[0]!.y - last.y : 0
    if (last && isContinued({ cells: last.cells, next: cells, gap, size, pitch })) {
      for (const [index, { text }] of cells.entries())
        if (text !== '') last.cells[index]!.text = `${last.cells[index]!.text} ${text}`.trim()
      last.y = row[0]!.y
    } else texts.push({ cells, y: row[0]!.y, size })
  }
  return texts.map(({ cells }) => {
    const joined = cells.filter(({ columns }) => columns !== 0)
    return isTurned(band) ? joined.reverse() : joined
  })
}

/** Returns a cell for each column; one that is covered by the cell before it has 0 columns. */
function toCells(row: Row, spans: readonly Span[]): Cell[] {
  const cells: Cell[] = spans.map(() => ({ text: '' }))
  for (const piece of row.flatMap((each) => splitAtColumn(each, spans))) {
    const covered = spans.flatMap(([start, end], index) =>
      Math.min(end, piece.x1) - Math.max(start, piece.x0) > 0.3 * Math.min(end - start, piece.x1 - piece.x0)
        ? [index]
        : [],
    )
    const first = covered[0] ?? columnOf(spans, piece)
    const cell = cells[first]!
    cell.text = `${cell.text} ${piece.text}`.trim()
    if (covered.length > 1 && cell.columns === undefined) {
      cell.columns = covered.length
      for (const index of covered.slice(1)) cells[index]!.columns = 0
    }
  }
  return cells
}

/** Splits a piece whose widest gap is the one between two columns. */
function splitAtColumn(piece: Piece, spans: readonly Span[]): Piece[] {
  const { gap, text } = piece
  const isBetween = gap && spans.some(([start], index) => index > 0 && gap.x1 >= start && gap.x0 <= start)
  if (!isBetween) return [piece]
  return [
    { ...piece, text: text.slice(0, gap.at), x1: gap.x0 },
    { ...piece, text: text.slice(gap.at).trimStart(), x0: gap.x1 },
  ]
}

interface TableRow {
  row: Row
  cells: Cell[]
}

/** Converts rows of pieces to cells, and joins the lines of cells where only greater gaps separate the rows. */
function joinWrapped(band: readonly Row[], spans: readonly Span[]): TableRow[] {
  const gaps = band.slice(1).map((row, index) => row[0]!.y - band[index]![0]!.y)
  const least = Math.min(...gaps)
  const isTight = least < CELL_LEADING * median(band.map(sizeOf))
  const groups: TableRow[][] = []
  for (const [index, row] of band.entries()) {
    const entry = { row, cells: toCells(row, spans) }
    if (isTight && index > 0 && gaps[index - 1]! < least * 1.25) groups.at(-1)!.push(entry)
    else groups.push([entry])
  }
  return groups.flatMap((group) => (groups.length > 2 && isWrapped(group) ? [joinGroup(group)] : group))
}

/** Tells if lines are one row: some lack a cell, and no column has several numbers. */
function isWrapped(group: readonly TableRow[]): boolean {
  const columns = group[0]!.cells.map((_, column) => group.map(({ cells }) => cells[column]!))
  if (columns.flat().some(({ columns: covered }) => covered !== undefined)) return false
  const hasGap = columns.some((cells) => {
    const filled = cells.filter(({ text }) => text !== '').length
    return filled > 0 && filled < cells.length
  })
  const isNumeric = ({ text }: Cell) => /\d/.test(text) && !/\p{L}{3}/u.test(text)
  return hasGap && columns.every((cells) => cells.filter(isNumeric).length < 2)
}

function joinGroup(group: readonly TableRow[]): TableRow {
  const [{ cells }] = group as [TableRow]
  const joined = cells.map((_, column) => ({
    text: group.flatMap((entry) => entry.cells[column]!.text || []).join(' '),
  }))
  return { row: group.at(-1)!.row, cells: joined }
}

interface Continuation {
  cells: readonly Cell[]
  next: readonly Cell[]
  gap: number
  size: number
  pitch: number
}

/** Tells if a row of pieces goes on with the cells of the row before. */
function isContinued({ cells, next, gap, size, pitch }: Continuation): boolean {
  if (next.some(({ columns }, index) => columns !== undefined || cells[index]!.columns !== undefined))
    return false
  if (gap > CELL_LEADING * size * 1.1) return false
  const filled = next.flatMap(({ text }, index) => (text === '' ? [] : [index]))
  // A row of its own has all the cells that the one before has.
  const isWhole = cells.every(({ text }, index) => text === '' || next[index]!.text !== '')
  if (isWhole || filled.some((index) => cells[index]!.text === '')) return false
  // Lines of one cell are closer than rows are.
  if (gap < pitch * 0.85) return true
  return (
    next[0]!.text === '' &&
    filled.length <= next.length / 2 &&
    !filled.some((index) => /\d/.test(next[index]!.text))
  )
}
