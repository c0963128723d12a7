import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
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

// `node main.js [--long] [--profile] [part of a file's name …]`: runs test files, many in one process.

/** How long one file may take in each tier, in milliseconds. */
const FILE_MS = { short: 300_000, long: 3_600_000 }
const COSTLIEST = 5

/** One more than there are cores, as tests also wait: for the time, for the database and for other processes. */
const PROCESSES = availableParallelism() + 1

const { values: options, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: { long: { type: 'boolean' }, profile: { type: 'boolean' } },
})

const tests = fileURLToPath(new URL('..', import.meta.url))
const root = join(tests, '..', '..')
const folder = join(root, '.tap', 'run')
const pathOf = (file: string) => join(tests, `${file}.test.js`)
const sizeOf = (file: string) => statSync(pathOf(file)).size
/** Files that wait more than they compute: for timers of platforms, for leases, for processes that are killed. */
const isWaiting = (file: string) =>
  /^(channels|recipes)\/|-crash|held|leases|limits|shell|shutdown|slow/.test(file)
/** What goes over all routes or all plugins: slow, however small the file is. */
const isWalk = (file: string) => !file.includes('/')
const hasTiers = (file: string) => readFileSync(pathOf(file), 'utf8').includes('run/tier.js')

// The slowest first, so that all processes end at about the same time.
const files = readdirSync(tests, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.js'))
  .map((file) => file.slice(0, -'.test.js'.length))
  .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
  .filter((file) => !options.long || hasTiers(file))
  .sort((a, b) => Number(isWalk(b)) - Number(isWalk(a)) || sizeOf(b) - sizeOf(a))
if (files.length === 0) {
  process.stderr.write(`No test file has ${patterns.map((text) => `"${text}"`).join(' or ')} in its name.\n`)
  process.exit(1)
}

const isWhole = patterns.length === 0 && !options.long && !options.profile
const isOfKernel = (file: string) => file.startsWith('kernel/')
/** The kernel is measured by its own tests, whose processes are slower for it; nothing else is. */
const measured = isWhole ? files.filter(isOfKernel) : []
const others = files.filter((file) => !measured.includes(file))
const waiting = others.filter(isWaiting)
const computing = others.filter((file) => !isWaiting(file))
const coverage = join(folder, 'coverage')

rmSync(folder, { recursive: true, force: true })
mkdirSync(join(folder, 'queue'), { recursive: true })

const reporter = createReporter((text) => process.stdout.write(text), { names: patterns.length > 0 })
// What it says the reporter hears from the processes themselves.
t.resume()
t.register()
t.setTimeout(0)
t.jobs = Math.min(PROCESSES, files.length)

let processes = 0
/** Runs files that nobody has taken yet, in one process, and in another one whenever a file ends it. */
async function run(files: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const queue = openQueue(join(folder, 'queue'), files)
  while (queue.hasMore()) {
    const id = `process ${++processes}`
    const reports = options.profile ? join(folder, `process-${processes}`) : undefined
    const limit = options.long ? FILE_MS.long : FILE_MS.short
    const assignment: Assignment = { id, queue: join(folder, 'queue'), files, limit, reports }
    const hook = reports && `--import=${new URL(`report-process.js?to=${reports}`, import.meta.url)}`
    if (reports) mkdirSync(reports)
    const running = t.spawn(
      'env',
      // In place of the hooks with which tap measures, which double what starting a process costs.
      [`NODE_OPTIONS=${hook ?? ''}`, process.execPath, fileURLToPath(new URL('worker.js', import.meta.url))],
      {
        name: id,
        timeout: limit,
        env: { ...process.env, ...env, TEST_ASSIGNMENT: JSON.stringify(assignment) },
      },
    )
    reporter.follow(running.subtest!)
    await running
    const { signal, exitCode } = running.subtest!.options as { signal?: string; exitCode?: number }
    const end = signal ?? `with exit code ${exitCode}`
    const file = queue.unfinishedBy(id)
    if (file) reporter.fail(file, `${file} ended its process`, end)
    else if (queue.hasMore()) return reporter.fail(id, `${id} ended before it had run anything`, end)
  }
}

const tier: NodeJS.ProcessEnv = options.long ? { SVC_TEST_TIER: 'long' } : {}
const kernelRuns: Promise<void>[] = []
// One in three begins with files that wait and one with those of the kernel, so that the cores are never idle at once.
const runs = Array.from({ length: t.jobs }, async (_, index) => {
  if (index % 3 === 0) {
    const kernelRun = run(measured, { ...tier, NODE_V8_COVERAGE: coverage })
    kernelRuns.push(kernelRun)
    await kernelRun
  }
  await run(index % 3 === 1 ? [...waiting, ...computing] : [...computing, ...waiting], tier)
})
// While the other files run: it takes some seconds of one core.
const covered = isWhole ? Promise.all(kernelRuns).then(() => reportCoverage(root, coverage)) : undefined
await Promise.all(runs)
t.end()

const records = openQueue(join(folder, 'queue'), files).records()
if (options.profile) printCosts(records)
else if (files.length > COSTLIEST) printCostliest(records, COSTLIEST)
const { isWhole: isCovered = true, report = '' } = (await covered) ?? {}
const { user, system } = process.cpuUsage()
const children = processorTime('self', 'ended children')
const cpu = children === undefined ? '' : `, ${duration(children + (user + system) / 1000)} of processor time`
const { passed, failed, skipped } = reporter.counts
process.stdout.write(
  [
    report,
    `${duration(performance.now())}${cpu}`,
    ...(reporter.leftOut.size > 0 ? [`left out: ${[...reporter.leftOut].join(', ')}`] : []),
    ...[...reporter.failed].map((file) => `failed: ${file}`),
    `\n${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}\n`,
  ].join('\n'),
)
if (failed > 0 || !isCovered || !t.passing()) process.exitCode = 1
