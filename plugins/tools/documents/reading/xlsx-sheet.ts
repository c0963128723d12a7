import type { Archive } from './archive.ts'
import { ReadingFailure } from './reading-failure.ts'
import { type Cell, EMPTY, type Grid } from './table-grid.ts'
import type { CellStyle } from './xlsx-styles.ts'
import { readXml } from './xml.ts'

/** The last column that a sheet can have. */
const MAX_COLUMNS = 16_384
/** The most cells that merged ranges of a workbook cover. */
const MAX_COVERED = 2_000_000
/** The most tables of a sheet whose heads are marked. */
const MAX_HEADS = 100

/** A range of cells; numbers count from 0, and the last row and column belong to it. */
export interface CellRange {
  top: number
  left: number
  bottom: number
  right: number
}

/** The parts of a workbook that its sheets share. */
export interface Workbook {
  archive: Archive
  texts: readonly string[]
  styleOf: (index: number) => CellStyle
  /** Counts a cell, and the empty ones before it; throws DOCUMENT_TOO_LARGE if there are too many. */
  count: (skipped: number) => void
}

/** The additions to a sheet that are in other files: remarks on cells, by their names, and the heads of its tables. */
export interface SheetAdditions {
  notes: ReadonlyMap<string, string>
  heads: readonly CellRange[]
}

interface Row {
  index: number
  isHidden: boolean
  cells: Cell[]
}

/** Returns the rows of a sheet as they are shown: hidden rows and columns are left out, an empty row is kept as a gap. */
export function readSheet(workbook: Workbook, file: string, { notes, heads }: SheetAdditions): Grid {
  const { archive, texts, styleOf, count } = workbook
  const rows: Row[] = []
  const merges: CellRange[] = []
  const hiddenColumns: CellRange[] = []
  const ranges = [...heads]
  let row: Row = { index: -1, isHidden: false, cells: [] }
  let column = 0
  let type = ''
  let style = 0
  let value = ''
  let formula = ''
  let part: 'value' | 'formula' | undefined
  let phonetic = 0

  const toText = (): string => {
    if (value === '' && type !== 'str' && formula !== '') return `=${formula}`
    if (type === 's') return styleOf(style).format(texts[Number(value)] ?? '')
    if (type === 'b') return value === '1' || value === 'true' ? 'TRUE' : 'FALSE'
    if (type === 'd') return value.replace('T', ' ').replace(/ 00:00:00(\.0+)?Z?$/, '')
    if (type === 'str' || type === 'inlineStr') return styleOf(style).format(decodeEscapes(value))
    if (type === 'e' || value.trim() === '') return value
    const number = Number(value)
    return Number.isNaN(number) ? value : styleOf(style).format(number)
  }
  const addCell = () => {
    const text = toText().replace(/\s+/g, ' ').trim()
    const note = notes.size > 0 ? notes.get(`${nameOf(column)}${row.index + 1}`) : undefined
    if ((text === '' && note === undefined) || column >= MAX_COLUMNS) return
    const { cells } = row
    count(Math.max(0, column - cells.length))
    while (cells.length < column) cells.push(EMPTY)
    const { isBold } = styleOf(style)
    cells[column] = { text: text || note!, ...(isBold && { isHead: true }), ...(text && note && { note }) }
  }

  readXml(archive, file, {
    open(tag, attributes) {
      if (tag === 'row') {
        const index = Number(attributes.r)
        row = { index: index > 0 ? index - 1 : row.index + 1, isHidden: isTrue(attributes.hidden), cells: [] }
        rows.push(row)
        column = 0
      } else if (tag === 'c') {
        column = columnOf(attributes.r) ?? column
        type = attributes.t ?? 'n'
        style = Number(attributes.s ?? 0)
        value = ''
        formula = ''
      } else if (tag === 'v' || tag === 't') part = 'value'
      else if (tag === 'f') part = 'formula'
      else if (tag === 'rPh') phonetic += 1
      else if (tag === 'mergeCell') merges.push(...toRanges(attributes.ref))
      else if (tag === 'autoFilter') ranges.push(...toRanges(attributes.ref))
      else if (tag === 'col' && isTrue(attributes.hidden))
        hiddenColumns.push({
          top: 0,
          bottom: 0,
          left: Number(attributes.min) - 1,
          right: Number(attributes.max) - 1,
        })
    },
    text(text) {
      if (part === 'formula') formula += text
      else if (part === 'value' && phonetic === 0) value += text
    },
    close(tag) {
      if (tag === 'v' || tag === 't' || tag === 'f') part = undefined
      else if (tag === 'rPh') phonetic -= 1
      else if (tag === 'c') {
        addCell()
        column += 1
      }
    },
  })
  // Programs write rows in their order; a file that does not is still read.
  if (rows.some(({ index }, position) => position > 0 && index < rows[position - 1]!.index))
    rows.sort((one, other) => one.index - other.index)
  for (const range of ranges.slice(0, MAX_HEADS)) markHead(rows, range)
  merge(rows, merges)
  return show(rows, hiddenColumns)
}

/** Decodes characters that XML cannot contain, such as `_x000D_`. */
export const decodeEscapes = (text: string): string =>
  text.replace(/_x([\da-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

const isTrue = (value = '0') => value === '1' || value === 'true'

/** Writes the first cell of each merged range into all cells of the range that the sheet has. */
function merge(rows: readonly Row[], ranges: readonly CellRange[]): void {
  if (ranges.length === 0) return
  const positions = new Map(rows.map(({ index }, position) => [index, position]))
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  let covered = 0
  for (const { top, left, bottom, right } of ranges) {
    const first = positions.get(top)
    const cell = first === undefined ? undefined : rows[first]!.cells[left]
    if (first === undefined || cell === undefined || cell === EMPTY) continue
    const end = Math.min(right + 1, Math.max(width, left + 1))
    const whole = { ...cell, columns: right - left + 1, rows: bottom - top + 1 }
    for (let position = first; position < rows.length && rows[position]!.index <= bottom; position += 1) {
      const { cells } = rows[position]!
      covered += Math.max(end - Math.min(left, cells.length), 1)
      if (covered > MAX_COVERED) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
      while (cells.length < left) cells.push(EMPTY)
      for (let column = left; column < end; column += 1) cells[column] = whole
    }
  }
}

/** Returns the cells that are shown. */
function show(rows: readonly Row[], hiddenColumns: readonly CellRange[]): Grid {
  const grid: (readonly Cell[])[] = []
  const width =
    hiddenColumns.length === 0 ? 0 : rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  const isHidden: boolean[] = []
  for (const { left, right } of hiddenColumns)
    for (let column = Math.max(0, left); column <= Math.min(right, width - 1); column += 1)
      isHidden[column] = true
  let next = 0
  for (const { index, isHidden: isHiddenRow, cells } of rows) {
    if (index > next && grid.length > 0) grid.push([])
    next = index + 1
    if (!isHiddenRow) grid.push(isHidden.length > 0 ? cells.filter((_, column) => !isHidden[column]) : cells)
  }
  return grid
}

/** Marks the first row of a table as its head, and no other one. */
function markHead(rows: readonly Row[], { top, left, bottom, right }: CellRange): void {
  for (const { index, cells } of rows) {
    if (index < top || index > bottom) continue
    for (const cell of cells.slice(left, right + 1)) if (cell !== EMPTY) cell.isHead = index === top
  }
}

/** Returns the index of the column that a cell's name begins with, such as 27 for `AB7`. */
function columnOf(reference = ''): number | undefined {
  const letters = /^\$?([A-Z]{1,3})/i.exec(reference)?.[1]
  if (!letters) return undefined
  return [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** Returns the letters of a column. */
function nameOf(column: number): string {
  let name = ''
  for (let number = column + 1; number > 0; number = Math.floor((number - 1) / 26))
    name = String.fromCharCode(65 + ((number - 1) % 26)) + name
  return name
}

/** Returns the range that a text such as `A1:C3` names, or nothing if it names none. */
export function toRanges(reference = ''): CellRange[] {
  const [from = '', to = from] = reference.replaceAll('$', '').split(':')
  const left = columnOf(from)
  const right = columnOf(to)
  const top = Number(/\d+$/.exec(from)?.[0]) - 1
  const bottom = Number(/\d+$/.exec(to)?.[0]) - 1
  if (left === undefined || right === undefined || !(top >= 0 && bottom >= top && right >= left)) return []
  return [{ top, left, bottom, right }]
}
