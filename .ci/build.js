// `node .ci/build.js [STEP …]` makes what is missing or older than its sources, and prints the time of each step.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { bundle, bundlePackages, emit, listFiles, removeEmitted } from './emit.js'

const PAGE = 'plugins/reach/console/web'
const COMPONENT = 'dist/plugins/operation/api-docs/component'
const COMPONENT_FILES = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'LICENSE',
  'NOTICE',
]
const READING = 'plugins/tools/documents/reading'
const SERVER = ['client', 'engine', 'kernel', 'plugin-api', 'plugins', 'channels', 'providers']
const TESTS = ['tests', 'bench']
const PACKAGE = ['package.json', 'package-lock.json']
const COMPILER = ['.ci/build.js', '.ci/emit.js']
/** The compilers that are binaries. */
const COMPILERS = ['rolldown', 'lightningcss']
const QUIET = ['--no-audit', '--no-fund', '--loglevel', 'error']
const TOOLS = PACKAGE.map((name) => join('tests', name))

/** The name of each step, the files and folders that it reads, and the step that must be done before it. */
const STEPS = {
  server: { doing: 'Compiling the server', reads: [...PACKAGE, ...COMPILER, ...SERVER], run: compileServer },
  page: { doing: 'Building the page', reads: [...PACKAGE, 'client', PAGE], run: buildPage },
  tools: { doing: 'Installing the tools of the tests', reads: TOOLS, run: installTools },
  tests: { doing: 'Compiling the tests', reads: [...PACKAGE, ...COMPILER, ...TESTS], run: compileTests },
  types: {
    doing: 'Checking the types',
    reads: [...PACKAGE, 'tsconfig.json', ...SERVER, ...TESTS],
    after: 'tools',
    run: checkTypes,
  },
}

const running = new Map()
let compilers
const wanted = process.argv.length > 2 ? process.argv.slice(2) : ['server', 'page']
const results = await Promise.allSettled(wanted.map(make))
const failures = new Set(results.flatMap(({ reason }) => reason?.message ?? []))
for (const message of failures) process.stderr.write(`${message}\n`)
if (failures.size > 0) process.exit(1)
writeFacts()

/**
 * Installs the binaries of the compilers for this machine if `npm ci --omit=optional` has left them out: the compilers
 * depend on them optionally, since each machine needs another one.
 */
async function completeCompilers() {
  if (!COMPILERS.every((name) => existsSync(`node_modules/${name}`)))
    throw new Error('The compilers are not installed: run "npm ci --include=dev", or install a release.')
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const has = (field, value) => field === undefined || field.includes(value)
  const libc = process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl'
  const missing = COMPILERS.flatMap((name) =>
    Object.keys(packages[`node_modules/${name}`].optionalDependencies).filter((binary) => {
      const { os, cpu, libc: libraries } = packages[`node_modules/${binary}`]
      const fits = os && has(os, process.platform) && has(cpu, process.arch) && has(libraries, libc)
      return fits && !existsSync(`node_modules/${binary}`)
    }),
  )
  if (missing.length === 0) return
  const binaries = missing.map((name) => `${name}@${packages[`node_modules/${name}`].version}`)
  process.stdout.write(`Installing ${binaries.join(', ')} …\n`)
  await start('npm', ['install', '--no-save', '--omit=optional', ...QUIET, ...binaries])
}

/** Does a step once, and only if a file that it reads has changed since it was done last. */
function make(name) {
  if (!running.has(name)) running.set(name, makeOnce(name, STEPS[name]))
  return running.get(name)
}

async function makeOnce(name, { doing, reads, after, run }) {
  if (after) await make(after)
  // In the folder that the step fills, so that removing the folder repeats the step.
  const stamp = name === 'tools' ? 'tests/node_modules/.built' : `dist/.built-${name}`
  // The page of a release is compressed more.
  const variant = name === 'page' && process.env.SVC_RELEASE ? 'release' : ''
  const fingerprint = variant + hashFiles(reads, name === 'server' ? [PAGE] : [])
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) return
  compilers ??= completeCompilers()
  await compilers
  rmSync(stamp, { force: true })
  process.stdout.write(`${doing} …\n`)
  const startedAt = performance.now()
  await run()
  mkdirSync('dist', { recursive: true })
  writeFileSync(stamp, fingerprint)
  process.stdout.write(`${doing} took ${((performance.now() - startedAt) / 1000).toFixed(1)} s.\n`)
}

function hashFiles(paths, except) {
  const hash = createHash('sha256')
  for (const file of paths.flatMap((path) => (statSync(path).isFile() ? [path] : listFiles(path, except))))
    hash.update(`${file}\n`).update(readFileSync(file))
  return hash.digest('hex')
}

async function compileServer() {
  await emit(SERVER, [PAGE])
  await bundle()
  copyComponent()
  await bundlePdfjs()
  chmodSync('dist/kernel/cli/main.js', 0o755)
}

/** Copies the files of the API page's component: its package has a script that reports each installation to a third party. */
function copyComponent() {
  mkdirSync(COMPONENT, { recursive: true })
  for (const name of COMPONENT_FILES)
    copyFileSync(`node_modules/swagger-ui-dist/${name}`, `${COMPONENT}/${name}`)
}

/**
 * Joins pdf.js to the module that reads with it, and copies the CMaps of Chinese, Japanese and Korean fonts: its package is
 * 20 times as large.
 */
async function bundlePdfjs() {
  await bundlePackages(`${READING}/pdfjs.ts`, {
    // Drawing is never needed, and the package that draws would be loaded where it happens to be installed.
    'require("@napi-rs/canvas")': '{}',
    // The text that replaces what is drawn is not told otherwise.
    'args[1] instanceof Dict ? args[1].get("MCID") : null]':
      'args[1] instanceof Dict ? args[1].get("ActualText") : null]',
  })
  copyFileSync('node_modules/pdfjs-dist/LICENSE', `dist/${READING}/pdfjs-LICENSE`)
  cpSync('node_modules/pdfjs-dist/cmaps', `dist/${READING}/cmaps`, { recursive: true })
}

async function buildPage() {
  await start('node_modules/.bin/vite', ['build', '--logLevel', 'warn', '-c', `${PAGE}/vite.config.ts`])
}

async function installTools() {
  await start('npm', ['ci', ...QUIET], { cwd: 'tests' })
}

async function compileTests() {
  await emit(TESTS)
  // Compiled tests find the tools of `tests` as their sources do.
  for (const folder of TESTS) {
    rmSync(`dist/${folder}/node_modules`, { force: true })
    symlinkSync('../../tests/node_modules', `dist/${folder}/node_modules`)
  }
}

async function checkTypes() {
  removeEmitted([...SERVER, ...TESTS], /\.d\.ts$/)
  const tsc = 'tests/node_modules/.bin/tsc'
  // More checkers would check the types that they share again, and rare garbage collection saves a quarter.
  const env = { ...process.env, GOGC: '400' }
  await start(tsc, ['-p', 'tests', '--emitDeclarationOnly', '--checkers', '2'], { env })
  await start(tsc, ['-p', PAGE, '--checkers', '2'], { env })
  await start(tsc, ['-p', `${PAGE}/service-worker`], { env })
}

/** Runs a program whose output people see. */
async function start(program, args, options) {
  const child = spawn(program, args, { stdio: 'inherit', ...options })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`)
}

/** Writes what the server cannot find out: its commit, and how people start `svc`, which no clone has in its path. */
function writeFacts() {
  const commit = process.env.SVC_COMMIT || describeCommit()
  const command = process.env.SVC_RELEASE ? 'svc' : 'npx svc'
  writeFileSync('dist/build.json', JSON.stringify({ commit, command }))
}

/** Returns the commit of this checkout, or null if it has none, as an archive of the sources. */
function describeCommit() {
  const args = ['describe', '--always', '--exclude', '*', '--abbrev=8', '--dirty']
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : null
}
