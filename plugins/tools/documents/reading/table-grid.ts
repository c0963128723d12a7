import { ReadingFailure } from './reading-failure.ts'

/** A cell of a table, and the columns and rows that it covers, which are 1 if missing. */
export interface Cell {
  text: string
  columns?: number
  rows?: number
  /** True if it is marked as a head, by its element or by bold type. */
  isHead?: boolean
  /** A remark on the cell, which is read after its row. */
  note?: string
}

/** The rows of a table; a cell that covers several places is the cell of each of them. */
export type Grid = readonly (readonly Cell[])[]

/** The cell of a place without one. */
export const EMPTY: Cell = { text: '' }

/** The last column that a table can have. */
const MAX_COLUMNS = 16_384
/** The most places of a table, empty ones included. */
const MAX_PLACES = 12_000_000

/** Lays out the rows of a table. Throws DOCUMENT_TOO_LARGE if its cells cover too many places. */
export function toGrid(rows: readonly (readonly Cell[])[]): Grid {
  const grid: Cell[][] = []
  /** The cells that cover rows further below, by their columns, with the last row of each. */
  const tall: ({ cell: Cell; last: number } | undefined)[] = []
  let count = 0
  let width = 0
  for (const [index, row] of rows.entries()) {
    const places: Cell[] = []
    const coverFromAbove = () => {
      for (let above = tall[places.length]; above && above.last >= index; above = tall[places.length])
        places.push(above.cell)
    }
    for (const each of row) {
      coverFromAbove()
      const cell = clean(each)
      width = Math.max(width, places.length + 1)
      const end = Math.max(places.length + 1, Math.min(places.length + (cell.columns ?? 1), MAX_COLUMNS))
      count += end - places.length
      if (count > MAX_PLACES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
      while (places.length < end) {
        if ((cell.rows ?? 1) > 1) tall[places.length] = { cell, last: index + cell.rows! - 1 }
        places.push(cell)
      }
    }
    while (tall.length > 0 && !(tall.at(-1) && tall.at(-1)!.last > index - 1)) tall.pop()
    while (places.length < tall.length) {
      coverFromAbove()
      if (places.length < tall.length) places.push(EMPTY)
    }
    count += places.length
    if (count > MAX_PLACES) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
    grid.push(places)
  }
  // A wide cell adds no columns beyond the last one in which a cell begins.
  for (const places of grid) if (places.length > width) places.length = width
  return grid
}

function clean(cell: Cell): Cell {
  const text = cell.text.replace(/\s+/g, ' ').trim()
  return text === cell.text ? cell : { ...cell, text }
}

/** A cell of a row, once, with the columns that it covers there. */
export interface Span {
  cell: Cell
  start: number
  end: number
}

/** Returns the cells of a row that contain text, each once. */
export function listSpans(row: readonly Cell[]): Span[] {
  const spans: Span[] = []
  for (let start = 0; start < row.length; ) {
    const cell = row[start]!
    let end = start + 1
    while ((cell.columns ?? 1) > 1 && row[end] === cell) end += 1
    if (cell.text !== '') spans.push({ cell, start, end })
    start = end
  }
  return spans
}
