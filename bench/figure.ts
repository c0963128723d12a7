import type { Stage } from './stage.ts'

/** One measured value; `note` describes how it was measured. */
export interface Row {
  measure: string
  value: number
  unit: string
  note?: string
}

/** A benchmark that measures one aspect with the processes of its own stage. */
export type Figure = (stage: Stage) => Promise<Row[]>

/** Returns the quantile at `rank` (0 to 1), interpolated between neighbouring values. */
export function quantile(values: number[], rank: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const position = (sorted.length - 1) * rank
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position % 1)
}

/** Returns the median. */
export const median = (values: number[]): number => quantile(values, 0.5)

/** Formats the smallest and the largest value for the note of a row. */
export const spread = (values: number[], digits = 0): string =>
  `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`

/** Formats rows as a table in plain text with right-aligned numbers. */
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
