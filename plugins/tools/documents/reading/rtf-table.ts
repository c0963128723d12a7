import type { Block } from './blocks.ts'
import { type Cell, toRows } from './tables.ts'

/** The right edge of a cell in twentieths of a point, and how it is merged. */
interface CellShape {
  right: number
  isBelow: boolean
  isBeside: boolean
}

/** A row of a table in RTF. */
export interface RtfRow {
  left: number
  isHead: boolean
  shapes: CellShape[]
  texts: string[]
}

/** Edges that are closer are the same. */
const TOLERANCE = 40
/** The most cells of a row. */
export const MAX_CELLS = 1000

export const createRow = (): RtfRow => ({ left: 0, isHead: false, shapes: [], texts: [] })

/** Returns the rows of a table; cells that cover several columns show it by their edges. */
export function closeRtfTable(rows: readonly RtfRow[]): Block[] {
  const edges = listEdges(rows)
  const table: Cell[][] = []
  let above = new Map<number, Cell>()
  for (const { left, shapes, texts } of rows) {
    const row: Cell[] = []
    const next = new Map<number, Cell>()
    let start = findEdge(edges, left)
    for (const [index, text] of texts.slice(0, MAX_CELLS).entries()) {
      const shape = shapes[index]
      const end = shape ? Math.max(findEdge(edges, shape.right), start + 1) : start + 1
      // Some programs mark cells as merged that have texts of their own.
      const upper = shape?.isBelow && text.trim() === '' ? above.get(start) : undefined
      const last = row.at(-1)
      if (shape?.isBeside && last) last.columns = (last.columns ?? 1) + end - start
      else if (upper) {
        upper.rows = (upper.rows ?? 1) + 1
        next.set(start, upper)
      } else {
        const cell: Cell = { text, columns: end - start }
        row.push(cell)
        next.set(start, cell)
      }
      start = end
    }
    table.push(row)
    above = next
  }
  const heads = rows.findIndex(({ isHead }) => !isHead)
  return [...toRows(table, { heads: heads > 0 ? heads : undefined })]
}

/** Returns the edges of all cells, from left to right. */
function listEdges(rows: readonly RtfRow[]): number[] {
  const all = new Set(rows.flatMap(({ left, shapes }) => [left, ...shapes.map(({ right }) => right)]))
  const edges: number[] = []
  for (const edge of [...all].sort((one, other) => one - other))
    if (edges.length === 0 || edge - edges.at(-1)! > TOLERANCE) edges.push(edge)
  return edges
}

/** Returns the index of the last edge that is not beyond a position. */
function findEdge(edges: readonly number[], position: number): number {
  let low = 0
  let high = edges.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (edges[middle]! <= position) low = middle
    else high = middle - 1
  }
  return low
}
