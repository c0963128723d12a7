import type { Block } from './blocks.ts'
import { type Cell, type Grid, listSpans, type Span, toGrid } from './table-grid.ts'
import { countHeads, countTitles, isLabel, isSame } from './table-heads.ts'

export type { Cell } from './table-grid.ts'

/** The facts about a table that its cells do not show. */
export interface TableOptions {
  page?: number
  /** The number of rows that are its head, if the document tells it. */
  heads?: number
}

/** Joins the heads of a column that are above each other. */
const HEAD_SEPARATOR = ' › '
/** The longest head that is repeated in each row, and the longest cell that is repeated in each row that it covers. */
const MAX_REPEATED_CHARS = 300

/**
 * Yields the rows of a table, each cell with the head of its column; rows above the head, and rows of a single cell
 * among others, are rows of their own. A cell that covers several rows is a cell of each of them.
 */
export function* toRows(
  rows: readonly (readonly Cell[])[],
  { page, heads }: TableOptions = {},
): Generator<Block & { kind: 'row' }> {
  yield* gridToRows(toGrid(rows), { page, heads })
}

/** Yields the rows of a table that is laid out; see toRows. */
export function* gridToRows(
  grid: Grid,
  { page, heads }: TableOptions = {},
): Generator<Block & { kind: 'row' }> {
  for (const text of listRows(grid, heads)) if (text !== '') yield { kind: 'row', text, page }
}

/** Converts rows of texts to cells of one place each. */
export const toCells = (rows: readonly (readonly string[])[]): Cell[][] =>
  rows.map((row) => row.map((text) => ({ text })))

/** Yields the texts of the rows of a table; see toRows. */
function* listRows(grid: Grid, heads?: number): Generator<string> {
  const isFilled = (row: readonly Cell[]) => row.some(({ text }) => text !== '')
  const rows = grid.filter(isFilled)
  const above = heads === undefined ? undefined : grid.slice(0, heads).filter(isFilled).length
  const titleCount = above === 0 ? 0 : countTitles(above === undefined ? rows : rows.slice(0, above + 1))
  const headCount = above === undefined ? countHeads(rows.slice(titleCount)) : Math.max(0, above - titleCount)
  const headRows = rows.slice(titleCount, titleCount + headCount)
  const dataRows = rows.slice(titleCount + headCount)

  let previous: readonly Cell[] = []
  for (const row of rows.slice(0, titleCount)) {
    yield joinNew(row, previous)
    yield* listNotes(row, previous)
    previous = row
  }
  for (const row of headRows) yield* listNotes(row, [])
  const names = joinHeads(headRows)
  const isRepeated = (row: readonly Cell[]) =>
    headRows.some((head) => isSame(head, row)) && listSpans(row).length > 1
  const otherRows = dataRows.filter((row) => !isRepeated(row))
  if (showsHeads(names, otherRows))
    yield names.filter((name, index) => name && name !== names[index - 1]).join(' | ')
  const shortNames = names.map((name) => name.slice(0, MAX_REPEATED_CHARS))
  const isSparse = dataRows.filter((row) => listSpans(row).length < 2).length > dataRows.length / 2
  for (const row of dataRows) {
    if (!isRepeated(row)) yield joinRow(row, { previous, names: shortNames, isSparse })
    yield* listNotes(row, previous)
    previous = row
  }
}

/** Yields the remarks on the cells of a row, except those that are cells of the row above. */
function* listNotes(row: readonly Cell[], previous: readonly Cell[]): Generator<string> {
  for (const { cell, start } of listSpans(row)) if (cell.note && previous[start] !== cell) yield cell.note
}

/** Returns the heads of the columns, those above each other joined. */
function joinHeads(rows: Grid): string[] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  return Array.from({ length: width }, (_, column) => {
    const cells = rows.flatMap((row) => (row[column] ? [row[column]] : []))
    const texts = [...new Set(cells)].flatMap(({ text }) => (text === '' ? [] : [text]))
    return texts.map(withoutColon).join(HEAD_SEPARATOR)
  })
}

/** True if the rows of a table do not show all of its heads. */
function showsHeads(names: readonly string[], rows: Grid): boolean {
  const missing = new Set(names.filter((name) => name !== ''))
  const isLong = names.some(({ length }) => length > MAX_REPEATED_CHARS)
  for (const row of rows) {
    if (missing.size === 0) break
    for (const [column, { text }] of row.entries()) if (text !== '') missing.delete(names[column] ?? '')
  }
  return missing.size > 0 || isLong
}

/** Returns the cells of a row that has no heads, without those that the row above it shows. */
const joinNew = (row: readonly Cell[], previous: readonly Cell[]) =>
  listSpans(row)
    .filter(({ cell, start }) => previous[start] !== cell)
    .map(({ cell }) => cell.text)
    .join(' | ')

interface RowSurroundings {
  /** The row above. */
  previous: readonly Cell[]
  /** The heads of the columns. */
  names: readonly string[]
  /** True if most rows are a single cell. */
  isSparse: boolean
}

function joinRow(row: readonly Cell[], { previous, names, isSparse }: RowSurroundings): string {
  const all = listSpans(row)
  const isNew = ({ cell, start }: Span) => previous[start] !== cell
  if (!all.some(isNew)) return ''
  const spans = all.filter((span) => isNew(span) || span.cell.text.length <= MAX_REPEATED_CHARS)
  const [first] = spans
  const isCaption = all.length === 1 && first !== undefined && isAcross(first, names.length, isSparse)
  if (names.length === 0) return joinLabels(spans.map(({ cell }) => cell))
  return spans
    .map((span) => {
      const name = isCaption ? '' : nameOf(names, span)
      return name ? `${name}: ${span.cell.text}` : span.cell.text
    })
    .join(' | ')
}

/** True if the only cell of a row is a caption or a note: over all columns, or alone in a row of many. */
const isAcross = ({ start, end }: Span, width: number, isSparse: boolean) =>
  end - start > 1 ? end - start >= width - 1 : start === 0 && width > 2 && !isSparse

/** Returns the heads that a cell covers. */
const nameOf = (names: readonly string[], { start, end }: Span) =>
  end - start === 1
    ? names[start]
    : [...new Set(names.slice(start, end))].filter(Boolean).join(', ').slice(0, MAX_REPEATED_CHARS)

/** Joins the cells of a row without heads; a label, or a cell that is marked as a head, is the head of those after it. */
function joinLabels(cells: readonly Cell[]): string {
  const isMixed = cells.some(({ isHead }) => isHead) && !cells.every(({ isHead }) => isHead)
  const parts: string[] = []
  let isAfterName = false
  for (const cell of cells) {
    const isName = isMixed ? cell.isHead === true : isLabel(cell)
    if (isAfterName && !isName) parts.push(`${withoutColon(parts.pop()!)}: ${cell.text}`)
    else parts.push(cell.text)
    isAfterName = isName
  }
  return parts.join(' | ')
}

const withoutColon = (name: string) => name.replace(/ ?[:：]$/, '')
