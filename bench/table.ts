import type { Row } from './figure.ts'

/** Rows as an aligned table in plain text, the numbers to the right. */
export function formatTable(rows: (Row & { figure: string })[]): string {
  const cells = [
    ['figure', 'measure', 'value', 'unit', 'note'],
    ...rows.map(({ figure, measure, value, unit, note = '' }, index) => [
      figure === rows[index - 1]?.figure ? '' : figure,
      measure,
      value.toFixed(Math.abs(value) < 100 ? 2 : 0),
      unit,
      note,
    ]),
  ]
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)))
  const pad = (cell: string, column: number) =>
    column === 2 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
  return cells.map((line) => line.map(pad).join('  ').trimEnd()).join('\n')
}
