import type { Block } from './blocks.ts'
import type { Attributes } from './opendocument-styles.ts'
import { ReadingFailure } from './reading-failure.ts'
import { type Cell, EMPTY } from './table-grid.ts'
import { createVisibility } from './visibility.ts'

/** The last column that a sheet can have. */
const MAX_COLUMNS = 16_384
/** The most cells of a document that contain something, and the most empty ones between them. */
const MAX_CELLS = 2_000_000
const MAX_EMPTY_CELLS = 10_000_000

/** Counts the cells of all tables of a document. */
export type CellCounter = ReturnType<typeof createCellCounter>

/** Creates a counter, which throws DOCUMENT_TOO_LARGE. */
export function createCellCounter() {
  let cells = 0
  let emptyCells = 0
  return (added: number, empty: number): void => {
    cells += added
    emptyCells += empty
    if (cells > MAX_CELLS || emptyCells > MAX_EMPTY_CELLS) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
  }
}

/** The content of a cell, with the notes and comments on it. */
interface CellContent {
  text: string
  isHead: boolean
  notes: readonly string[]
}

/** A table that is being read. */
export type OpenTable = ReturnType<typeof createTable>

/** Creates a table. Repeated cells and rows are expanded, hidden columns and rows are left out. */
export function createTable(count: CellCounter) {
  const rows: Cell[][] = []
  const columns = createVisibility()
  const rowsOfSource = createVisibility()
  /** The cells that cover rows further below, with their rows, hidden ones included. */
  const tall: { cell: Cell; start: number; end: number }[] = []
  let row: Cell[] = []
  let repeated = 1
  let column = 0
  let emptyBefore = 0
  let heads = 0
  let isHeadRow = false

  return {
    /** The blocks that follow the table, such as its charts. */
    after: [] as Block[],

    addColumns(attributes: Attributes): void {
      const repeated = toCount(attributes['table:number-columns-repeated'])
      const added = Math.min(repeated, MAX_COLUMNS - columns.count())
      if (added > 0) columns.add(added, !isConcealed(attributes))
    },

    /** Marks the rows that follow as heads, or as others. */
    setHead(isHead: boolean): void {
      isHeadRow = isHead
    },

    /** Begins a row; returns false if it is hidden. */
    openRow(attributes: Attributes): boolean {
      row = []
      column = 0
      emptyBefore = 0
      repeated = toCount(attributes['table:number-rows-repeated'])
      const isVisible = !isConcealed(attributes)
      rowsOfSource.add(repeated, isVisible)
      return isVisible
    },

    /** Adds a cell to the row, as often as it is repeated. */
    addCell(attributes: Attributes, { text, isHead, notes }: CellContent): void {
      const width = toCount(attributes['table:number-columns-spanned'])
      const height = toCount(attributes['table:number-rows-spanned'])
      const start = column
      column = Math.min(MAX_COLUMNS, start + toCount(attributes['table:number-columns-repeated']))
      const covered = columns.countVisible(start, Math.min(MAX_COLUMNS, start + width))
      const times = width > 1 ? Math.min(1, covered) : columns.countVisible(start, column)
      if (text === '' && notes.length === 0 && width === 1 && height === 1) {
        emptyBefore += times
        return
      }
      if (times === 0) return
      count(times, emptyBefore)
      for (; emptyBefore > 0; emptyBefore -= 1) row.push(EMPTY)
      for (let index = 0; index < times; index += 1) {
        const note = notes.join('\n')
        const cell: Cell = { text: text || note, ...(width > 1 && { columns: covered }) }
        if (isHead || isHeadRow) cell.isHead = true
        if (text && note && index === 0) cell.note = note
        if (height > 1) {
          const top = rowsOfSource.count() - repeated
          tall.push({ cell, start: top, end: top + height })
        }
        row.push(cell)
      }
    },

    /** Passes places that the cell of another place covers. */
    skipCell(attributes: Attributes): void {
      column = Math.min(MAX_COLUMNS, column + toCount(attributes['table:number-columns-repeated']))
    },

    /** Ends the row, and repeats it unless it is empty. */
    closeRow(): void {
      const isEmpty = row.every(({ text }) => text === '')
      const times = isEmpty ? 1 : repeated
      count((times - 1) * row.length, 0)
      for (let index = 0; index < times; index += 1) {
        // Cells of different rows are different ones.
        rows.push(index === 0 ? row : row.map((cell) => ({ ...cell })))
        if (isHeadRow) heads += 1
      }
    },

    /** Ends the table; returns its rows, and the number of heads among them if the document tells it. */
    close(): { rows: Cell[][]; heads: number | undefined } {
      for (const { cell, start, end } of tall) cell.rows = rowsOfSource.countVisible(start, end)
      return { rows, heads: heads > 0 ? heads : undefined }
    },
  }
}

/** True if rows or columns are hidden, by hand or by a filter. */
const isConcealed = (attributes: Attributes) =>
  /^(collapse|filter)$/.test(attributes['table:visibility'] ?? '')

/** Returns how often something is repeated, or how many places it covers. */
function toCount(attribute: string | undefined): number {
  const count = Number(attribute ?? 1)
  return Number.isSafeInteger(count) && count > 0 ? count : 1
}
