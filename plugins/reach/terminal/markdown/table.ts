import { measureRow, type Row, type Span, wrapSpans } from './spans.ts'

const SEPARATOR = ' │ '
const MIN_CELL_COLUMNS = 4

type Alignment = 'left' | 'right' | 'center' | null

/** Lays out a table whose first row is its header; cells are wrapped if the table is wider than the terminal. */
export function renderTable(cells: Span[][][], alignments: readonly Alignment[], columns: number): Row[] {
  const natural = alignments.map((_, column) =>
    Math.max(1, ...cells.map((row) => Math.max(...wrapSpans(row[column] ?? [], 1000).map(measureRow)))),
  )
  const widths = fitWidths(natural, columns - SEPARATOR.length * (alignments.length - 1))
  const rows = cells.flatMap((row, index) => {
    const wrapped = widths.map((width, column) => wrapSpans(row[column] ?? [], width))
    const height = Math.max(...wrapped.map(({ length }) => length))
    const lines = Array.from({ length: height }, (_, line) =>
      wrapped.flatMap((lines, column): Row => {
        const isLast = column === widths.length - 1
        const cell = alignCell(lines[line] ?? [], widths[column]!, alignments[column]!, isLast)
        return isLast ? cell : [...cell, { text: SEPARATOR, styles: ['dim'] }]
      }),
    )
    if (index > 0) return lines
    const rule = widths.map((width) => '─'.repeat(width)).join('─┼─')
    return [...lines, [{ text: rule, styles: ['dim' as const] }]]
  })
  return rows
}

/** Takes columns from the widest cells until the table fits. */
function fitWidths(natural: readonly number[], available: number): number[] {
  const widths = [...natural]
  let excess = widths.reduce((sum, width) => sum + width, 0) - available
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= MIN_CELL_COLUMNS) break
    const next = Math.max(MIN_CELL_COLUMNS, ...widths.filter((width) => width < widest))
    const wide = widths.flatMap((width, column) => (width === widest ? [column] : []))
    const step = Math.max(1, Math.min(widest - next, Math.floor(excess / wide.length)))
    for (const column of wide) {
      if (excess <= 0) break
      widths[column]! -= step
      excess -= step
    }
  }
  return widths
}

function alignCell(row: Row, width: number, alignment: Alignment, isLast: boolean): Row {
  const free = Math.max(0, width - measureRow(row))
  const leftPad = alignment === 'right' ? free : alignment === 'center' ? Math.floor(free / 2) : 0
  const rightPad = isLast ? 0 : free - leftPad
  const pad = (count: number): Row => (count > 0 ? [{ text: ' '.repeat(count), styles: [] }] : [])
  return [...pad(leftPad), ...row, ...pad(rightPad)]
}
