import type { Block } from './blocks.ts'
import type { Attributes, Zone } from './html-elements.ts'
import type { Run } from './html-places.ts'
import type { Region } from './html-regions.ts'
import { type Cell, toRows } from './tables.ts'

/** A block of a page, and the part of the page that it is in. */
export interface Piece {
  block: Block
  zone: Zone
  /** The region that the block is in. */
  region: Region
  /** The characters outside of links, and in them; the number of links. */
  text: number
  linked: number
  links: number
  /** The texts with which the block is found on its page. */
  runs?: readonly Run[]
}

/** The largest spans that browsers know. */
const MAX_COLUMNS = 1000
const MAX_ROWS = 65_534
/** The longest cells of a table of data; the cells of longer ones are read one after the other. */
const MAX_CELL_CHARS = 1000
const MAX_PARTED_CELL_CHARS = 300
/** The next rows of a table among which the row of a text is looked for. */
const MAX_COMPARED_ROWS = 5
const MAX_COMPARED_CELLS = 50

interface HtmlCell extends Cell {
  pieces: Piece[]
}

type Section = 'thead' | 'tbody' | 'tfoot'

/** A table of HTML that is being read. */
export interface HtmlTable {
  isLayout: boolean
  hasHeads: boolean
  hasTable: boolean
  section: Section
  rows: Record<Section, HtmlCell[][]>
  cell?: HtmlCell
}

/** Creates a table. */
export const createTable = ({ role = '' }: Attributes): HtmlTable => ({
  isLayout: role === 'presentation' || role === 'none',
  hasHeads: false,
  hasTable: false,
  section: 'tbody',
  rows: { thead: [], tbody: [], tfoot: [] },
})

/** Adds a cell to the last row of a table. */
export function addCell(table: HtmlTable, name: string, { colspan, rowspan }: Attributes): HtmlCell {
  const rows = table.rows[table.section]
  if (rows.length === 0) rows.push([])
  const cell: HtmlCell = {
    text: '',
    pieces: [],
    columns: Math.min(toSpan(colspan) || 1, MAX_COLUMNS),
    // A span of 0 rows is one to the end of the table.
    rows: Math.min(toSpan(rowspan) ?? 1, MAX_ROWS) || MAX_ROWS,
    isHead: name === 'th',
  }
  if (name === 'th') table.hasHeads = true
  rows.at(-1)!.push(cell)
  table.cell = cell
  return cell
}

const toSpan = (text: string | undefined) =>
  /^\s*\d+/.test(text ?? '') ? Number.parseInt(text!, 10) : undefined

/** Returns the rows of a table, or what is in its cells if the table only lays out the page. */
export function closeTable(table: HtmlTable, { zone, region }: Pick<Piece, 'zone' | 'region'>): Piece[] {
  const { thead, tbody, tfoot } = table.rows
  const rows = [...thead, ...tbody, ...tfoot]
  for (const cell of rows.flat()) cell.text = joinTexts(cell.pieces)
  if (isLayout(table, rows)) return rows.flat().flatMap(({ pieces }) => pieces)
  const heads = thead.length > 0 ? thead.length : undefined
  let next = 0
  return [...toRows(rows, { heads })].map((block) => {
    const isIn = (row: readonly HtmlCell[]) =>
      row.slice(0, MAX_COMPARED_CELLS).every(({ text }) => block.text.includes(text))
    const index = rows.slice(next, next + MAX_COMPARED_ROWS).findIndex((row) => row.length > 0 && isIn(row))
    const [run] = rows[next + index]?.flatMap(({ pieces }) => pieces.flatMap(({ runs = [] }) => runs)) ?? []
    const piece = { block, zone, region, text: block.text.length, linked: 0, links: 0 }
    if (index < 0 || !run) return piece
    next += index + 1
    return { ...piece, runs: [{ ...run, at: 0 }] }
  })
}

const joinTexts = (pieces: readonly Piece[]) =>
  pieces
    .map(({ block }) => block.text.replace(/^- /, ''))
    .join(pieces.some(({ block }) => block.kind === 'row') ? '; ' : ' ')

function isLayout(
  { isLayout, hasHeads, hasTable, rows: { thead } }: HtmlTable,
  rows: readonly HtmlCell[][],
): boolean {
  if (isLayout || hasTable) return isLayout || !hasHeads
  if (hasHeads || thead.length > 0) return false
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (width < 2) return true
  return rows.flat().some(({ text, pieces }) => {
    const isParted = pieces.length > 1 && (rows.length === 1 || text.length > MAX_PARTED_CELL_CHARS)
    return isParted || text.length > MAX_CELL_CHARS || pieces.some(({ block }) => block.kind === 'heading')
  })
}
