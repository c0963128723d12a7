import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { tap } from '@tapjs/core'
import { printCostliest, printCosts, readProcessorTime } from './costs.ts'
import { reportCoverage } from './coverage.ts'
import { openHistory } from './history.ts'
import { makeMemoryFolder } from './memory-folder.ts'
import { openQueue } from './queue.ts'
import { createReporter, formatDuration } from './reporter.ts'
import type { Assignment } from './worker.ts'

// `node main.js [--long] [--profile] [part of a file name …]`: runs test files, many of them in one process.

/** The time limit for one file in each tier. */
const FILE_MS = { short: 300_000, long: 3_600_000 }
const COSTLIEST_SHOWN = 5

/**
 * Two for each core would cost a third more processor time for the same tests, because they take each other's place in
 * the caches; files that wait leave room for two more.
 */
const CORES = availableParallelism()
const PROCESSES = CORES + 2

const { values: options, positionals: patterns } = parseArgs({
  allowPositionals: true,
  options: { long: { type: 'boolean' }, profile: { type: 'boolean' } },
})

const tests = fileURLToPath(new URL('..', import.meta.url))
const root = join(tests, '..', '..')
const folder = join(root, '.tap', 'run')
const compiledPath = (file: string) => join(tests, `${file}.test.js`)
const history = openHistory(join(root, '.tap', 'costs.json'))
// Without the tools of the tests, which are linked there.
const compiled = readdirSync(tests, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory()
    ? readdirSync(join(tests, entry.name), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(entry.name, file),
      )
    : entry.name,
)
const tierModules = [
  'run/tier.js',
  ...compiled.filter(
    (file) =>
      /^support\/.*\.js$/.test(file) && readFileSync(join(tests, file), 'utf8').includes('run/tier.js'),
  ),
]
/** True for files that import the tier themselves or through a module of `support`. */
const hasTiers = (file: string) => {
  const source = readFileSync(compiledPath(file), 'utf8')
  return tierModules.some((name) => source.includes(name))
}

const chosen = compiled
  .filter((file) => file.endsWith('.test.js'))
  .map((file) => file.slice(0, -'.test.js'.length))
  .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
  .filter((file) => (options.long ? hasTiers(file) : !file.startsWith('long/')))
const files = history.sort(chosen, (file) => statSync(compiledPath(file)).size)
if (files.length === 0) {
  process.stderr.write(`No test file has ${patterns.map((text) => `"${text}"`).join(' or ')} in its name.\n`)
  process.exit(1)
}

const isFullRun = patterns.length === 0 && !options.long && !options.profile
/** Files that run with coverage, which slows them down: only the kernel's own tests measure the kernel. */
const measured = isFullRun ? files.filter((file) => file.startsWith('kernel/')) : []
const others = files.filter((file) => !measured.includes(file))
const waiting = others.filter(history.isWaiting)
const computing = others.filter((file) => !waiting.includes(file))
const coverage = join(folder, 'coverage')

rmSync(folder, { recursive: true, force: true })
mkdirSync(join(folder, 'queue'), { recursive: true })

const reporter = createReporter((text) => process.stdout.write(text), { names: patterns.length > 0 })
const t = tap()
// Tap's own output is discarded: the reporter reads the output of each process.
t.resume()
t.register()
t.setTimeout(0)
t.jobs = Math.min(PROCESSES, files.length)

let processes = 0
/** Runs files from the queue in one process at a time, and starts a new process when a file ends its process. */
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
      // Replaces tap's own coverage hooks, which double the cost of starting a process.
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
    const exit = signal ?? `with exit code ${exitCode}`
    const file = queue.findUnfinished(id)
    if (file) reporter.fail(file, `${file} ended its process`, exit)
    else if (queue.hasMore()) return reporter.fail(id, `${id} ended before it ran a file`, exit)
  }
}

const tier: NodeJS.ProcessEnv = options.long ? { SVC_TEST_TIER: 'long' } : {}
const memory = options.long || process.env.TMPDIR ? undefined : makeMemoryFolder()
if (memory) tier.TMPDIR = memory
const kernelRun = run(measured, { ...tier, NODE_V8_COVERAGE: coverage })
const runs = Array.from({ length: t.jobs }, async (_, index) => {
  if (index === 0) await kernelRun
  if (index < CORES) await run([...computing, ...waiting], tier)
  else if (index === CORES) await run([...waiting, ...computing], tier)
  // One that computed as well would slow down the others.
  else await run(waiting, tier)
})
// Runs in parallel with the other files, because it takes some seconds of one core.
const covered = isFullRun ? kernelRun.then(() => reportCoverage(root, coverage)) : undefined
await Promise.all(runs)
t.end()

const records = openQueue(join(folder, 'queue'), files).readRecords()
// Files cost more in the other kinds of runs.
if (!options.long && !options.profile) history.store(records)
if (options.profile) printCosts(records)
else if (files.length > COSTLIEST_SHOWN) printCostliest(records, COSTLIEST_SHOWN)
const { isComplete: isCovered = true, report = '' } = (await covered) ?? {}
const { user, system } = process.cpuUsage()
const children = readProcessorTime('self', 'ended children')
const cpu =
  children === undefined ? '' : `, ${formatDuration(children + (user + system) / 1000)} of processor time`
const { passed, failed, skipped, ofLongTier } = reporter.counts
process.stdout.write(
  [
    report,
    `${formatDuration(performance.now())}${cpu}`,
    ...(reporter.skippedTests.size > 0 ? [`skipped: ${[...reporter.skippedTests].join(', ')}`] : []),
    ...reporter.failures,
    ...[...reporter.failed].map((file) => `failed: ${file}`),
    `\n${[
      `${passed} passed`,
      `${failed} failed`,
      ...(skipped > 0 ? [`${skipped} skipped`] : []),
      ...(ofLongTier > 0 ? [`${ofLongTier} tests left to npm run test:long`] : []),
    ].join(', ')}\n`,
  ].join('\n'),
)
if (failed > 0 || !isCovered || !t.passing()) process.exitCode = 1
