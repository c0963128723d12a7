import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t, { type Test } from './run/file-test.ts'
import { openHistory } from './run/history.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const project = join(here, '..', '..')

/** Runs test files, given by name and source, in a project without other tests. */
async function run(t: Test, files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'svc-runner-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  const tests = join(root, 'dist', 'tests')
  cpSync(join(here, 'run'), join(tests, 'run'), { recursive: true })
  cpSync(join(project, 'package.json'), join(root, 'package.json'))
  symlinkSync(join(project, 'tests', 'node_modules'), join(tests, 'node_modules'))
  for (const [name, source] of Object.entries(files))
    writeFileSync(join(tests, `${name}.test.js`), `import t from './run/file-test.js'\n${source}`)
  return new Promise<{ code: unknown; stdout: string; root: string }>((resolve) =>
    execFile(process.execPath, [join(tests, 'run', 'main.js'), ...Object.keys(files)], (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout, root }),
    ),
  )
}

const PASSES = "t.test('it holds', async (t) => t.pass('that one is one'))"

t.test('every file runs although others fail or crash, and failed files are listed', async (t) => {
  const { code, stdout } = await run(t, {
    fails: "t.test('it holds', async (t) => t.equal(1, 2, 'that one is two'))",
    throws: "throw new Error('no file')",
    exits: "t.test('it goes', () => process.exit(3))",
    dies: "t.test('it dies', () => process.kill(process.pid, 'SIGKILL'))",
    waits: "t.test('it waits', () => new Promise(() => {}))",
    empty: '',
    strays:
      "t.test('it strays', async () => void setImmediate(() => Promise.reject(new Error('stray'))))\nawait new Promise((resolve) => setTimeout(resolve, 1000))",
    first: PASSES,
    second: PASSES,
  })
  t.equal(code, 1)
  const lines = stdout.split('\n')
  const failed = lines.flatMap((line) => /^failed: (.*)/.exec(line)?.[1] ?? []).sort()
  t.strictSame(failed, ['dies', 'empty', 'exits', 'fails', 'strays', 'throws', 'waits'])
  for (const name of ['first', 'second'])
    t.ok(
      lines.some((line) => line.startsWith(`✓ ${name} `)),
      name,
    )
  t.match(stdout, /✗ fails > it holds > that one is two/)
  t.match(stdout, /✗ throws > no file/)
  t.match(stdout, /✗ exits > it goes > test unfinished/)
  t.match(stdout, /✗ exits ended its process/)
  t.match(stdout, /✗ dies ended its process\n +SIGKILL/)
  t.match(stdout, /✗ empty ran no test/)
  t.match(stdout, /✗ strays > .*stray/)
})

t.test('a run without failures exits with 0 and prints the number of assertions', async (t) => {
  const skips = "t.test('it waits', { skip: 'there is no bus' }, async (t) => t.fail('never'))"
  const { code, stdout } = await run(t, { first: PASSES, second: `${PASSES}\n${skips}` })
  t.equal(code, 0, stdout)
  t.match(stdout, / {2}✓ it holds/)
  const end =
    /^[\d.]+ m?s, [\d.]+ m?s of processor time\nskipped: second > it waits \(there is no bus\)\n\n2 passed, 0 failed, 1 skipped\n$/m
  t.match(stdout, end)
})

t.test('the costs of files that ran to their end are recorded for the next run', async (t) => {
  const { root } = await run(t, {
    first: PASSES,
    second: PASSES,
    exits: "t.test('it goes', () => process.exit(3))",
  })
  const costs = JSON.parse(readFileSync(join(root, '.tap', 'costs.json'), 'utf8'))
  t.match(costs, { first: { wall: Number, cpu: Number }, second: { wall: Number, cpu: Number } })
  t.notOk(costs.exits)
})

t.test('the record decides the order of files and which of them wait; sizes decide without it', async (t) => {
  const path = join(t.testdir({}), 'costs.json')
  const sizes: Record<string, number> = { computes: 1, waits: 1, large: 100, small: 10 }
  const sort = () => openHistory(path).sort(Object.keys(sizes), (file) => sizes[file]!)
  t.strictSame(sort(), ['large', 'small', 'computes', 'waits'])
  t.notOk(openHistory(path).isWaiting('waits'), 'nothing is known yet')

  const none = { engine: 0, engines: 0, servers: 0, commands: 0 }
  openHistory(path).store([
    { file: 'computes', wall: 1000, own: 500, children: 400, ...none },
    { file: 'waits', wall: 3000, own: 100, children: 0, ...none },
  ])
  t.strictSame(sort(), ['large', 'small', 'waits', 'computes'], 'others take as long for each byte')
  const { isWaiting, store } = openHistory(path)
  t.ok(isWaiting('waits'))
  t.notOk(isWaiting('computes'))
  t.notOk(isWaiting('large'))

  store([{ file: 'large', wall: 500, own: 300, children: 0, ...none }])
  t.strictSame(sort(), ['waits', 'computes', 'large', 'small'])
})
