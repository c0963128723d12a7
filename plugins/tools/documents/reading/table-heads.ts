import { type Cell, type Grid, listSpans } from './table-grid.ts'

/** The rows below a head that are looked at. */
const SAMPLE_ROWS = 200
/** The longest text of a head that is not marked as one. */
const MAX_HEAD_CHARS = 80
const MAX_VALUE_CHARS = 40
/** The most rows of a head that is not marked. */
const MAX_HEADS = 6

const VALUE =
  /^[-+−(]{0,2}(?:\p{Sc}|\p{Lu}{3})? ?[-+−]?\d[\d.,:/'’ \u00a0\u202f-]*(?:e[-+]?\d+)?\)?(?: ?(?:[%‰°]|\p{Sc}|\p{Lu}{3}|[ap]m))?$/iu
const YEAR = /^(?:19|20)\d\d$/
const ISO_DATE = /^\d{4}-\d\d(?:-\d\d)?/

type Kind = 'none' | 'text' | 'number' | 'date'

function kindOf({ text }: Cell): Kind {
  if (!/[\p{L}\d]/u.test(text)) return 'none'
  if (text.length > MAX_VALUE_CHARS || !VALUE.test(text)) return 'text'
  return ISO_DATE.test(text) ? 'date' : 'number'
}

/** The label of a value beside it, such as `Name:`. */
export const isLabel = ({ text }: Cell): boolean => /[^\s:：][:：]$/.test(text)

/** Returns the number of rows with a title at the beginning of a table, each of which is one cell. */
export function countTitles(rows: Grid): number {
  const width = widthOf(rows)
  const count = rows.findIndex((row, index) => !isTitle(row, rows[index + 1], width))
  // Rows of one cell each are a list, unless the table has others.
  return count > 0 && listSpans(rows[count]!).length > 1 ? count : 0
}

function isTitle(row: readonly Cell[], next: readonly Cell[] | undefined, width: number): boolean {
  const [span, second] = listSpans(row)
  if (!span || second || !next || width < 2) return false
  const covered = span.end - span.start
  if (covered > 1) return span.start === 0 && covered > width / 2
  return span.start === 0 || (width > 2 && listSpans(next).length === width)
}

/** Returns the number of rows that are the head of a table without titles, if that is certain or usual. */
export function countHeads(rows: Grid): number {
  if (isVertical(rows) && !(widthOf(rows) > 2 && hasCertainHead(rows))) return 0
  const marked = rows.findIndex((row, index) => !isMarked(row) || (index > 0 && listSpans(row).length === 1))
  const [first, ...others] = rows.slice(0, SAMPLE_ROWS)
  if (!first || others.length === 0 || (marked < 1 && !isHead(first, others))) return Math.max(0, marked)
  const spans = listSpans(first)
  const height = spans.some(({ start, end }) => end - start > 1)
    ? Math.max(...spans.map(({ cell }) => cell.rows ?? 1))
    : 1
  if (Math.max(height, marked) > 1) return Math.min(Math.max(height, marked), rows.length - 1)
  if (marked > 0) return marked
  let count = 1
  while (count < MAX_HEADS && areSubheads(rows[count - 1]!, rows[count], rows.slice(count + 1, SAMPLE_ROWS)))
    count += 1
  return count
}

/** True if the heads of a table are in its first column: marked there, and there alone. */
function isVertical(rows: Grid): boolean {
  const all = rows.slice(0, SAMPLE_ROWS).map(listSpans)
  const wide = all.filter(({ length }) => length > 1)
  return wide.length > 0 && wide.every(([first, second]) => first!.cell.isHead && !second!.cell.isHead)
}

const widthOf = (rows: Grid) => rows.reduce((most, row) => Math.max(most, row.length), 0)

/** True if the first row of a table is certainly its head: marked as one, or texts above numbers. */
export function hasCertainHead(rows: Grid): boolean {
  const [first, ...others] = rows.slice(0, SAMPLE_ROWS)
  if (!first || others.length === 0 || listSpans(first).length < 2) return false
  if (isMarked(first)) return others.some((row) => !isMarked(row))
  return (
    isHead(first, others) &&
    first.some(
      (cell, column) => (kindOf(cell) === 'text' || YEAR.test(cell.text)) && isValueColumn(others, column),
    )
  )
}

/** The columns of a table. */
export interface Columns {
  width: number
  /** True for the columns of numbers and dates. */
  areValues: boolean[]
}

/** Returns the columns of a table with a head. */
export function describeColumns(rows: Grid): Columns {
  const [, ...others] = rows.slice(0, SAMPLE_ROWS)
  const width = widthOf(rows)
  return { width, areValues: Array.from({ length: width }, (_, column) => isValueColumn(others, column)) }
}

/** True if rows below a table are further rows of it: they have no texts in its columns of values. */
export const continues = ({ width, areValues }: Columns, rows: Grid): boolean =>
  rows.every(
    (row) =>
      row.length <= width &&
      listSpans(row).length > 1 &&
      row.every((cell, column) => !areValues[column] || kindOf(cell) !== 'text'),
  )

const isMarked = (row: readonly Cell[]) => {
  const spans = listSpans(row)
  return spans.length > 0 && spans.every(({ cell }) => cell.isHead === true)
}

/** Returns the kinds of a column's cells, except empty ones. */
const kindsOf = (rows: Grid, column: number) => {
  const cells = rows.flatMap((row) => (row[column] ? [row[column]] : []))
  return cells.map(kindOf).filter((kind) => kind !== 'none')
}

/** True if all cells of a column are numbers or dates, but for a few notes. */
const isValueColumn = (rows: Grid, column: number) => {
  const kinds = kindsOf(rows, column)
  return kinds.length > 0 && kinds.filter((kind) => kind === 'text').length <= kinds.length / 10
}

function isHead(row: readonly Cell[], others: Grid): boolean {
  const spans = listSpans(row)
  if (spans.length === 0) return false
  if (widthOf([row, ...others]) === 1) return kindOf(row[0]!) === 'text' && isValueColumn(others, 0)
  if (spans.some(({ cell }) => cell.text.length > MAX_HEAD_CHARS)) return false
  if (isLabelled(spans.map(({ cell }) => cell))) return false
  const kinds = spans.map(({ cell }) => kindOf(cell))
  if (
    !isCount(row) &&
    spans.some(({ cell, start }, index) => contradicts(cell, kinds[index]!, others, start))
  )
    return false
  if (!kinds.includes('text') && spans.length > 1 && !spans.some(({ cell }) => YEAR.test(cell.text)))
    return false
  // A head has a cell of several rows only beside a cell of several columns.
  if (spans.some(({ cell }) => (cell.rows ?? 1) > 1) && !spans.some(({ start, end }) => end - start > 1))
    return false
  return !repeats(row, others) && !isForm(others.filter((other) => !isSame(row, other)))
}

/** A text that takes the place of a number, such as `n/a`. */
const FILLER = /^[ -~]{1,3}$/
/** The least part of texts, and of numbers, in a column of values of all kinds. */
const MIN_MIXED = 0.15

/** True if rows are names and values of all kinds in two columns, which are rather a form than a table with a head. */
function isForm(rows: Grid): boolean {
  if (widthOf(rows) !== 2) return false
  const cells = rows.flatMap(([, cell]) => (cell && kindOf(cell) !== 'none' ? [cell] : []))
  const texts = cells.filter((cell) => kindOf(cell) === 'text' && !FILLER.test(cell.text)).length
  const numbers = cells.filter((cell) => kindOf(cell) !== 'text').length
  const areNames = kindsOf(rows, 0).every((kind) => kind === 'text')
  return areNames && Math.min(texts, numbers) >= Math.max(1, cells.length * MIN_MIXED)
}

/** True if a cell of a first row is a value like those below it. */
function contradicts(cell: Cell, kind: Kind, others: Grid, column: number): boolean {
  if (kind === 'text' || kind === 'none') return false
  const below = others.flatMap((row) => (row[column] && kindOf(row[column]) !== 'none' ? [row[column]] : []))
  const isAlike = YEAR.test(cell.text)
    ? (other: Cell) => YEAR.test(other.text)
    : (other: Cell) => kind === 'number' || kindOf(other) === kind
  // A number above nothing is a value; a year above nothing is the head of an empty column.
  if (below.length === 0) return !YEAR.test(cell.text)
  return below.filter(isAlike).length >= below.length / 2
}

/** True if the numbers of a row count on, such as the weeks of a plan. */
function isCount(row: readonly Cell[]): boolean {
  const numbers = row.slice(1).map(({ text }) => Number(text || Number.NaN))
  return (
    numbers.length >= 3 &&
    kindOf(row[0]!) !== 'number' &&
    numbers.every((number, index) => number === numbers[0]! + index)
  )
}

/** True if some cells of a row are labels of others in it. */
const isLabelled = (cells: readonly Cell[]) => cells.some(isLabel) && !cells.every(isLabel)

/** True if a value of a row is found again below it, other than in a repeated head. */
function repeats(row: readonly Cell[], others: Grid): boolean {
  return others.some(
    (other) =>
      !isSame(row, other) &&
      row.some(
        ({ text }, column) => text !== '' && other[column]?.text === text && other[column] !== row[column],
      ),
  )
}

/** True if two rows have the same texts. */
export const isSame = (row: readonly Cell[], other: readonly Cell[]): boolean =>
  row.length === other.length && row.every(({ text }, column) => text === other[column]!.text)

/** True if a row divides the wide heads of the row above it. */
function areSubheads(above: readonly Cell[], row: readonly Cell[] | undefined, others: Grid): boolean {
  if (!row) return false
  const wide = listSpans(above).filter(({ start, end }) => end - start > 1)
  const spans = listSpans(row)
  if (wide.length === 0 || spans.length < 2 || others.length === 0) return false
  if (isMarked(above) || !isHead(row, others)) return false
  const isBelowWide = (column: number) => wide.some(({ start, end }) => column >= start && column < end)
  return spans.every(({ start }) => isBelowWide(start) || (above[start]?.text ?? '') === '')
}
