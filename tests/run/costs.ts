import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The costs of running a file; processor times in milliseconds. */
export interface Costs {
  /** Processor time of the process that runs the tests. */
  own: number
  /** Processor time of database engines, measured only in a profiled run; else that of children includes it. */
  engine: number
  /** Processor time of all other processes that the tests started; of those that have ended, unless in a profiled run. */
  children: number
  servers: number
  engines: number
  commands: number
}

/** The costs of a test file that ran to its end; times in milliseconds. */
export interface FileRecord extends Costs {
  file: string
  wall: number
}

/** The report of a process that a test started, written by `report-process.ts` in that process. */
export interface ProcessReport {
  pid: number
  kind: 'engine' | 'command' | 'server' | 'other'
  /** Processor time, in milliseconds. */
  cpu: number
}

/** Servers and commands that tests have started inside the test process. */
export const startCounts = { servers: 0, commands: 0 }

const TICK_MS = 10

/** Reads the processor time of a running process from `/proc`, in milliseconds; undefined if there is no entry. */
export function readProcessorTime(pid: number | 'self', of: 'itself' | 'ended children' = 'itself') {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system] = of === 'itself' ? [11, 12] : [13, 14]
    return (Number(fields[user]) + Number(fields[system])) * TICK_MS
  } catch {
    // The process has ended, or the system has no such files.
    return undefined
  }
}

/** Starts to measure costs. `reports` is the folder to which child processes report, in a profiled run. */
export function createMeter(reports: string | undefined): { take(): Costs } {
  const start = read()

  function read(): Costs {
    const { user, system } = process.cpuUsage()
    const children = reports === undefined ? (readProcessorTime('self', 'ended children') ?? 0) : 0
    const costs: Costs = { own: (user + system) / 1000, engine: 0, children, engines: 0, ...startCounts }
    if (reports === undefined) return costs
    for (const name of readdirSync(reports).filter((name) => name.endsWith('.json'))) {
      const { pid, kind, cpu }: ProcessReport = JSON.parse(readFileSync(join(reports, name), 'utf8'))
      if (pid === process.pid) continue
      costs[kind === 'engine' ? 'engine' : 'children'] += readProcessorTime(pid) ?? cpu
      if (kind === 'engine') costs.engines++
      if (kind === 'server') costs.servers++
      if (kind === 'command') costs.commands++
    }
    return costs
  }

  return {
    take() {
      const now = read()
      const names = Object.keys(now) as (keyof Costs)[]
      return Object.fromEntries(names.map((name) => [name, now[name] - start[name]])) as unknown as Costs
    },
  }
}

const COLUMNS: [title: string, read: (record: FileRecord) => number][] = [
  ['wall s', ({ wall }) => wall / 1000],
  ['own cpu s', ({ own }) => own / 1000],
  ['engine s', ({ engine }) => engine / 1000],
  ['others s', ({ children }) => children / 1000],
  ['servers', ({ servers }) => servers],
  ['engines', ({ engines }) => engines],
  ['commands', ({ commands }) => commands],
]

const sumProcessorTime = ({ own, engine, children }: FileRecord) => own + engine + children

/** Prints the costs of each file, the costliest in processor time first, and the sum of all. */
export function printCosts(records: readonly FileRecord[]): void {
  const sorted = [...records].sort((a, b) => sumProcessorTime(b) - sumProcessorTime(a))
  const cell = (value: number, title: string) =>
    (title.endsWith(' s') ? value.toFixed(1) : String(value)).padStart(title.length + 2)
  const row = (read: (column: (typeof COLUMNS)[number]) => number, name: string) =>
    process.stdout.write(`${COLUMNS.map((column) => cell(read(column), column[0])).join('')}  ${name}\n`)
  process.stdout.write(`\n${COLUMNS.map(([title]) => `  ${title}`).join('')}  file\n`)
  for (const record of sorted) row(([, read]) => read(record), record.file)
  row(([, read]) => records.reduce((sum, record) => sum + read(record), 0), `all ${records.length}`)
}

/** Prints the files with the longest wall time. */
export function printCostliest(records: readonly FileRecord[], count: number): void {
  process.stdout.write('\n')
  for (const { file, wall } of [...records].sort((a, b) => b.wall - a.wall).slice(0, count))
    process.stdout.write(`${(wall / 1000).toFixed(1).padStart(7)} s  ${file}\n`)
}
