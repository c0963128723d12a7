import type { FileRecord } from './queue.ts'

const COLUMNS: [title: string, read: (record: FileRecord) => number][] = [
  ['wall s', ({ wall }) => wall / 1000],
  ['own cpu s', ({ own }) => own / 1000],
  ['engine s', ({ engine }) => engine / 1000],
  ['others s', ({ children }) => children / 1000],
  ['servers', ({ servers }) => servers],
  ['engines', ({ engines }) => engines],
  ['commands', ({ commands }) => commands],
]

const processorTimeOf = ({ own, engine, children }: FileRecord) => own + engine + children

/** Prints what each file cost, the costliest in processor time first, and the sum of all. */
export function printCosts(records: readonly FileRecord[]): void {
  const sorted = [...records].sort((a, b) => processorTimeOf(b) - processorTimeOf(a))
  const cell = (value: number, title: string) =>
    (title.endsWith(' s') ? value.toFixed(1) : String(value)).padStart(title.length + 2)
  const row = (read: (column: (typeof COLUMNS)[number]) => number, name: string) =>
    process.stdout.write(`${COLUMNS.map((column) => cell(read(column), column[0])).join('')}  ${name}\n`)
  process.stdout.write(`\n${COLUMNS.map(([title]) => `  ${title}`).join('')}  file\n`)
  for (const record of sorted) row(([, read]) => read(record), record.file)
  row(([, read]) => records.reduce((sum, record) => sum + read(record), 0), `all ${records.length}`)
}

/** Prints the files that took longest. */
export function printCostliest(records: readonly FileRecord[], count: number): void {
  process.stdout.write('\n')
  for (const { file, wall } of [...records].sort((a, b) => b.wall - a.wall).slice(0, count))
    process.stdout.write(`${(wall / 1000).toFixed(1).padStart(7)} s  ${file}\n`)
}
