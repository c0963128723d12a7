import type { Block } from '../blocks.ts'
import type { Cell } from '../tables.ts'
import { findChild, findValue, isOn, type XmlElement } from '../xml-tree.ts'

/** A cell of a table of Word, and what is in it. */
export interface WordCell extends Cell {
  columns: number
  rows: number
  blocks: readonly Block[]
}

/** The rows of a table, and how many of them are repeated on each page as its head. */
export interface WordTable {
  rows: WordCell[][]
  heads: number
}

const MAX_COLUMNS = 16_384

/** Elements that are around the rows of a table, or the cells of a row. */
const WRAPPERS = new Set('sdt sdtContent customXml ins moveTo smartTag AlternateContent Choice'.split(' '))

/** A row or a cell, and whether its content control has not been filled in. */
interface TablePart {
  element: XmlElement
  isPlaceholder: boolean
}

/** True if a content control shows only what it asks for. */
export const isPlaceholder = (control: XmlElement): boolean =>
  isOn(findChild(control, 'sdtPr', 'showingPlcHdr')) ?? false

/** Yields the rows of a table or the cells of a row, which may be in other elements. */
function* listParts(parent: XmlElement, name: string, isEmpty = false): Generator<TablePart> {
  for (const element of parent.children) {
    if (element.name === name) yield { element, isPlaceholder: isEmpty }
    else if (WRAPPERS.has(element.name))
      yield* listParts(element, name, isEmpty || (element.name === 'sdt' && isPlaceholder(element)))
  }
}

const isLeftOut = (row: XmlElement): boolean =>
  findChild(row, 'trPr', 'del') !== undefined || (isOn(findChild(row, 'trPr', 'hidden')) ?? false)

/** Reads a table; `read` returns the content of a cell. */
export function readTable(table: XmlElement, read: (cell: XmlElement) => readonly Block[]): WordTable {
  const rows: WordCell[][] = []
  let heads = 0
  /** The cells that go on below, by their columns. */
  let above = new Map<number, WordCell>()
  for (const { element: row, isPlaceholder } of listParts(table, 'tr')) {
    if (isLeftOut(row)) continue
    if (heads === rows.length && isOn(findChild(row, 'trPr', 'tblHeader'))) heads += 1
    const below = new Map<number, WordCell>()
    const cells: WordCell[] = []
    let column = 0
    const add = (cell: WordCell) => {
      if (cell.columns > 0) cells.push(cell)
      column += cell.columns
    }

    add(toCell([], toCount(findValue(row, 'trPr', 'gridBefore'), 0)))
    for (const part of listParts(row, 'tc', isPlaceholder)) {
      const properties = findChild(part.element, 'tcPr')
      if (findChild(properties, 'cellDel')) continue
      const columns = toCount(findValue(properties, 'gridSpan'), 1)
      const left = cells.at(-1)
      if (continues(findChild(properties, 'hMerge')) && left) {
        left.columns += columns
        column += columns
        continue
      }
      const merge = findChild(properties, 'vMerge')
      const upper = continues(merge) ? above.get(column) : undefined
      if (upper) {
        upper.rows += 1
        below.set(column, upper)
        column += upper.columns
        add(toCell([], columns - upper.columns))
        continue
      }
      const cell = toCell(part.isPlaceholder ? [] : read(part.element), columns)
      if (merge) below.set(column, cell)
      add(cell)
    }
    add(toCell([], toCount(findValue(row, 'trPr', 'gridAfter'), 0)))
    rows.push(cells)
    above = below
  }
  return { rows, heads }
}

/** True if a cell is the continuation of the one above it or on its left. */
const continues = (merge: XmlElement | undefined): boolean =>
  merge !== undefined && merge.attributes.val !== 'restart'

const toCount = (text: string | undefined, fallback: number): number =>
  Math.min(MAX_COLUMNS, text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : fallback)

const toCell = (blocks: readonly Block[], columns: number): WordCell => ({
  text: joinBlocks(blocks),
  columns,
  rows: 1,
  blocks,
})

/** Returns blocks as one text; the rows of a table in it are separated by semicolons. */
export function joinBlocks(blocks: readonly Block[]): string {
  let text = ''
  for (const [index, { kind, text: added }] of blocks.entries()) {
    const isNextRow = kind === 'row' && blocks[index - 1]?.kind === 'row'
    text += `${index === 0 ? '' : isNextRow ? '; ' : '\n'}${added}`
  }
  return text
}

/**
 * True if a table only lays out its content: it has a single cell, or a single row of cells with headings, tables or
 * several paragraphs.
 */
export function isLayout({ rows }: WordTable): boolean {
  const filledRows = rows.filter((row) => row.some(({ text }) => text.trim() !== ''))
  const cells = filledRows.flat().filter(({ text }) => text.trim() !== '')
  if (cells.length === 1) return rows.length === 1
  return (
    filledRows.length === 1 && cells.some(({ blocks }) => blocks.length > 1 || blocks[0]?.kind !== 'text')
  )
}
