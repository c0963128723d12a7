import type { CaseRuns, Evaluation, Run } from './evaluation.ts'
import { addCosts, type Consumption } from './turn.ts'

/** The sums of some runs; `ms` is the mean of the turns, null without any. */
export interface Sums extends Consumption {
  runs: number
  passed: number
  ms: number | null
}

/** A case with the sums of each version. */
export interface CaseSummary {
  line: number
  name: string
  versions: (Sums & { failures: string[] })[]
  /** With two versions: the tested one compared with the other. */
  change?: 'better' | 'worse' | 'same'
}

/** An evaluation in figures. */
export interface Summary {
  versions: (Sums & { label: string; left_out: string[] })[]
  cases: CaseSummary[]
  judge: Consumption
  interrupted: boolean
  problem?: string
}

/** Sums an evaluation up; `versions` are in the order of the sides. */
export function summarize(
  { cases, ...evaluation }: Evaluation,
  versions: readonly { label: string; left_out: string[] }[],
): Summary {
  return {
    versions: versions.map(({ label, left_out }, index) => ({
      label,
      ...sum(cases.flatMap(({ sides }) => sides[index]!)),
      left_out,
    })),
    cases: cases.map(summarizeCase),
    ...evaluation,
  }
}

function summarizeCase({ case: { line, name }, sides }: CaseRuns): CaseSummary {
  const versions = sides.map((runs) => ({
    ...sum(runs),
    failures: [...new Set(runs.flatMap(({ failures }) => failures))],
  }))
  const [tested, other] = versions
  return { line, name, versions, ...(tested && other && { change: compare(tested, other) }) }
}

function compare(tested: Sums, other: Sums): NonNullable<CaseSummary['change']> {
  const shareOf = ({ passed, runs }: Sums) => (runs === 0 ? 0 : passed / runs)
  const difference = shareOf(tested) - shareOf(other)
  if (difference === 0 || tested.runs === 0 || other.runs === 0) return 'same'
  return difference > 0 ? 'better' : 'worse'
}

function sum(runs: readonly Run[]): Sums {
  const total = (read: (run: Run) => number) => runs.reduce((amount, run) => amount + read(run), 0)
  return {
    runs: runs.length,
    passed: runs.filter(({ failures }) => failures.length === 0).length,
    ms: runs.length > 0 ? Math.round(total(({ ms }) => ms) / runs.length) : null,
    input_tokens: total((run) => run.input_tokens),
    output_tokens: total((run) => run.output_tokens),
    cost: runs.reduce<number | null>((amount, { cost }) => addCosts(amount, cost), 0),
  }
}
