import type { Stage } from './stage.ts'

/** One measured value; `note` says how it came about. */
export interface Row {
  measure: string
  value: number
  unit: string
  note?: string
}

/** Measures one thing on a stage of its own processes. */
export type Figure = (stage: Stage) => Promise<Row[]>
