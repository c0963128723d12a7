import { printTable } from '#plugin-api'
import type { CaseSummary, Summary, Sums } from './summary.ts'
import type { Consumption } from './turn.ts'

type Output = Pick<NodeJS.WriteStream, 'write'>

const CHANGES = { better: 'better', worse: 'WORSE', same: '' } as const

/** Prints an evaluation: a row for each case, the reasons of failures, and the versions side by side. */
export function printReport(stdout: NodeJS.WriteStream, summary: Summary): void {
  const { versions, cases, judge } = summary
  const isCompared = versions.length > 1
  const columns = isCompared ? versions.map(({ label }) => `${label}: passed`) : ['passed']
  const head = ['line', 'case', ...columns, 'ms', 'tokens', 'cost']
  printTable(stdout, [
    isCompared ? [...head, 'change'] : head,
    ...cases.map((row) => [
      String(row.line),
      toPlain(row.name),
      ...row.versions.map(formatPassed),
      ...formatFigures(row.versions),
      ...(isCompared ? [CHANGES[row.change ?? 'same']] : []),
    ]),
  ])
  printFailures(stdout, summary)
  stdout.write('\n')
  printTable(stdout, [
    ['version', 'passed', 'ms', 'tokens', 'cost'],
    ...versions.map((version) => [
      toPlain(version.label),
      formatPassed(version),
      ...formatFigures([version]),
    ]),
    ...(judge.input_tokens > 0 ? [['judge', '', '', ...formatConsumption([judge])]] : []),
  ])
  if (isCompared) printChanges(stdout, cases)
  for (const { label, left_out } of versions)
    for (const part of left_out) stdout.write(`Not copied from ${toPlain(label)}: ${toPlain(part)}\n`)
}

function printFailures(stdout: Output, { cases, versions }: Summary): void {
  for (const { line, name, versions: sides } of cases)
    for (const [index, { failures }] of sides.entries())
      for (const failure of failures) {
        const by = versions.length > 1 ? ` [${toPlain(versions[index]!.label)}]` : ''
        stdout.write(`\n${line} ${toPlain(name)}${by}: ${toPlain(failure)}`)
      }
  stdout.write('\n')
}

function printChanges(stdout: Output, cases: readonly CaseSummary[]): void {
  const linesOf = (change: CaseSummary['change']) =>
    cases.filter((row) => row.change === change).map(({ line }) => line)
  const [better, worse] = [linesOf('better'), linesOf('worse')]
  const describe = (lines: number[]) =>
    lines.length > 0 ? `${lines.length} (lines ${lines.join(', ')})` : '0'
  stdout.write(`Better: ${describe(better)}. Worse: ${describe(worse)}.\n`)
}

const formatPassed = ({ passed, runs }: Sums): string => (runs === 0 ? '-' : `${passed} of ${runs}`)

const formatFigures = (sides: readonly Sums[]): string[] => [
  sides.map(({ ms }) => (ms === null ? '-' : String(ms))).join(' / '),
  ...formatConsumption(sides),
]

const formatConsumption = (sides: readonly Consumption[]): string[] => [
  sides.map(({ input_tokens, output_tokens }) => String(input_tokens + output_tokens)).join(' / '),
  sides.map(({ cost }) => formatCost(cost)).join(' / '),
]

const formatCost = (cost: number | null): string =>
  cost === null ? '?' : `$${cost.toFixed(cost > 0 && cost < 0.01 ? 5 : 2)}`

/** Makes text of models harmless for a terminal, and one line of it. */
const toPlain = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 299)}…` : line
}
