import type { Block } from './blocks.ts'
import { type Cell, type Grid, listSpans } from './table-grid.ts'
import {
  type Columns,
  continues,
  countTitles,
  describeColumns,
  hasCertainHead,
  isSame,
} from './table-heads.ts'
import { gridToRows } from './tables.ts'

/** The rows before a head, and the columns of a sheet, that are looked at. */
const MAX_PREAMBLE = 20
const MAX_COLUMNS = 1000

/** Rows of a sheet that belong together; a form is certainly no table with a head. */
interface Part {
  rows: Grid
  isForm?: boolean
}

/** Yields the rows of the tables of a sheet: those below each other, and those beside each other. */
export function* toSheetRows(grid: Grid, page?: number): Generator<Block> {
  const parts = joinRuns(listRuns(grid).flatMap(splitPreamble)).flatMap(splitColumns)
  for (const { rows, isForm } of parts) {
    // Beside other tables, a few texts are rather a form or a remark than a table with a head.
    const isUncertain = parts.length > 1 && (rows.length < 3 || widthOf(rows) < 3)
    const hasNoHead = isForm || (isUncertain && !hasCertainHead(withoutTitles(rows)))
    yield* gridToRows(rows, { page, ...(hasNoHead && { heads: 0 }) })
  }
}

const widthOf = (rows: Grid) => rows.reduce((most, row) => Math.max(most, row.length), 0)
const withoutTitles = (rows: Grid) => rows.slice(countTitles(rows))

/** Returns the runs of rows that empty rows separate. */
function listRuns(grid: Grid): Grid[] {
  const runs: (readonly Cell[])[][] = [[]]
  for (const row of grid) {
    if (row.some(({ text }) => text !== '')) runs.at(-1)!.push(row)
    else if (runs.at(-1)!.length > 0) runs.push([])
  }
  return runs.filter(({ length }) => length > 0)
}

/** Joins runs that are one table with gaps. */
function joinRuns(runs: readonly Part[]): Part[] {
  const parts: { rows: (readonly Cell[])[]; isForm?: boolean }[] = []
  /** The columns of the last part if it is a table; they are found once, however many runs it has. */
  let columns: Columns | undefined
  for (const { rows, isForm } of runs) {
    const above = parts.at(-1)
    const table = withoutTitles(rows)
    const isTable = !isForm && hasCertainHead(table)
    if (above && !isForm && !isTable) {
      const head = withoutTitles(above.rows.slice(0, MAX_PREAMBLE))
      if (head.length === 1 && hasCertainHead([...head, ...rows]))
        columns = describeColumns([...head, ...rows])
      if (columns && continues(columns, rows)) {
        for (const row of rows) above.rows.push(row)
        continue
      }
    }
    columns = isTable ? describeColumns(table) : undefined
    parts.push({ rows: [...rows], ...(isForm && { isForm }) })
  }
  return parts
}

/** Separates tables beside each other, each with a head, if they are surely not one table with an empty column. */
function splitColumns({ rows, isForm }: Part): Part[] {
  const isFilled: boolean[] = []
  for (const row of rows)
    for (const [column, { text }] of row.entries()) if (text !== '') isFilled[column] = true
  const first = isFilled.indexOf(true)
  const ranges: [start: number, end: number][] = []
  for (let column = first; column < isFilled.length; column += 1) {
    if (!isFilled[column]) continue
    if (isFilled[column - 1]) ranges.at(-1)![1] = column + 1
    else ranges.push([column, column + 1])
  }
  const cut = (start: number, end: number) =>
    rows.map((row) => row.slice(start, end)).filter((row) => row.some(({ text }) => text !== ''))
  const whole = first > 0 ? rows.map((row) => row.slice(first)) : rows
  if (ranges.length < 2 || isFilled.length > MAX_COLUMNS) return [{ rows: whole, ...(isForm && { isForm }) }]
  const parts = ranges.map(([start, end]) => cut(start, end))
  const areTables = parts.every((part) => widthOf(part) > 1 && hasCertainHead(withoutTitles(part)))
  const one = parts[0]!
  const areApart = parts
    .slice(1)
    .some(
      (other) =>
        other.length !== one.length ||
        (countTitles(one) > 0 && countTitles(other) > 0) ||
        isSame(withoutTitles(one)[0]!, withoutTitles(other)[0]!),
    )
  return areTables && areApart ? parts.map((part) => ({ rows: part })) : [{ rows: whole }]
}

/** Separates rows above the head of a table, such as the date of a report, from the table. */
function splitPreamble(rows: Grid): Part[] {
  if (hasCertainHead(withoutTitles(rows))) return [{ rows }]
  let widest = 2
  for (let index = 0; index < Math.min(rows.length, MAX_PREAMBLE); index += 1) {
    const { length } = listSpans(rows[index]!)
    if (length > widest && index > 0 && hasCertainHead(rows.slice(index)))
      return [{ rows: rows.slice(0, index), isForm: true }, { rows: rows.slice(index) }]
    widest = Math.max(widest, length)
  }
  return [{ rows }]
}
