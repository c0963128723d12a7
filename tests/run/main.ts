import { createWriteStream, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import t from 'tap'
import { processorTime } from './costs.ts'
import { reportCoverage } from './coverage.ts'
import { printCostliest, printCosts } from './profile.ts'
import { openQueue } from './queue.ts'
import { createReporter, duration } from './reporter.ts'
import type { Assignment } from './worker.ts'

// `node main.js [--long] [--profile] [part of a file's name …]`: runs test files, one process a core.

/** How long one file may take, and each of the two tiers as a whole, in milliseconds. */
const FILE_MS = { short: 120_000, long: 3_600_000 }
const COSTLIEST = 5

const { values: options, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: { long: { type: 'boolean' }, profile: { type: 'boolean' } },
})

const tests = fileURLToPath(new URL('..', import.meta.url))
const root = join(tests, '..', '..')
const folder = join(root, '.tap', 'run')
const sizeOf = (file: string) => statSync(join(tests, `${file}.test.js`)).size
const hasTiers = (file: string) =>
  readFileSync(join(tests, `${file}.test.js`), 'utf8').includes('run/tier.js')

// The longest first, so that both processes end at about the same time.
const files = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js'))
  .map((file) => file.slice(0, -'.test.js'.length))
  .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
  .filter((file) => !options.long || hasTiers(file))
  .sort((a, b) => sizeOf(b) - sizeOf(a))
if (files.length === 0) {
  process.stderr.write(
    `No test file has ${patterns.map((pattern) => `"${pattern}"`).join(' or ')} in its name.\n`,
  )
  process.exit(1)
}

const isWhole = patterns.length === 0 && !options.long && !options.profile
const isOfKernel = (file: string) => file.startsWith('kernel/')
/** The kernel is measured by its own tests, whose processes are slower for it; nothing else is. */
const groups = isWhole
  ? [
      { files: files.filter(isOfKernel), coverage: join(folder, 'coverage') },
      { files: files.filter((file) => !isOfKernel(file)) },
    ]
  : [{ files }]

rmSync(folder, { recursive: true, force: true })
mkdirSync(join(folder, 'queue'), { recursive: true })

const reporter = createReporter((text) => process.stdout.write(text), { names: patterns.length > 0 })
const queue = openQueue(join(folder, 'queue'), files)
t.pipe(createWriteStream(join(folder, 'results.tap')))
t.register()
t.setTimeout(0)
t.jobs = Math.min(availableParallelism(), files.length)

let processes = 0
async function runFiles({ files, coverage }: { files: string[]; coverage?: string }): Promise<void> {
  const group = openQueue(join(folder, 'queue'), files)
  while (group.hasMore()) {
    const id = `process ${++processes}`
    const reports = options.profile ? join(folder, id.replace(' ', '-')) : undefined
    if (reports) mkdirSync(reports)
    const limit = options.long ? FILE_MS.long : FILE_MS.short
    const assignment: Assignment = { id, queue: join(folder, 'queue'), files, limit, reports }
    const hook = reports && `--import=${new URL(`report-process.js?to=${reports}`, import.meta.url)}`
    const running = t.spawn(
      'env',
      // In place of the hooks with which tap measures, which double what starting a process costs.
      [`NODE_OPTIONS=${hook ?? ''}`, process.execPath, fileURLToPath(new URL('worker.js', import.meta.url))],
      {
        name: id,
        timeout: limit,
        env: {
          ...process.env,
          TEST_ASSIGNMENT: JSON.stringify(assignment),
          ...(options.long ? { SVC_TEST_TIER: 'long' } : {}),
          ...(coverage ? { NODE_V8_COVERAGE: coverage } : {}),
        },
      },
    )
    reporter.follow(running.subtest!)
    await running
    const { signal, exitCode } = running.subtest!.options as { signal?: string; exitCode?: number }
    const file = group.unfinishedBy(id)
    if (file) reporter.fail(file, `${file} ended its process`, `${signal ?? `with exit code ${exitCode}`}`)
  }
}

await Promise.all(
  Array.from({ length: t.jobs }, async () => {
    for (const group of groups) await runFiles(group)
  }),
)
t.end()

const records = queue.records()
const { passed, failed, skipped } = reporter.counts
if (options.profile) printCosts(records)
else if (files.length > COSTLIEST) printCostliest(records.slice(), COSTLIEST)
const isCovered = !isWhole || (await reportCoverage(root, join(folder, 'coverage')))
const cpu = process.cpuUsage()
const children = processorTime('self', 'ended children')
process.stdout.write(`
${duration(performance.now())}${children === undefined ? '' : `, ${duration(children + (cpu.user + cpu.system) / 1000)} of processor time`}
${[...reporter.failed].map((file) => `failed: ${file}\n`).join('')}
${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}
`)
if (failed > 0 || !isCovered || !t.passing()) process.exitCode = 1
