// Builds `dist`: the server by tsc and the page of the console by Vite, each only if its sources have changed.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.js'

const PAGE = 'plugins/console/web'
const SHARED = ['package.json', 'package-lock.json', 'tsconfig.json']
const SERVER = ['client', 'kernel', 'plugin-api', 'plugins', 'channels', 'providers', 'tests', 'bench']

await build('server', [...SHARED, ...SERVER, '.ci'], async () => {
  // The page may be up to date; all else goes, so that nothing of a deleted source is left.
  for (const path of listFiles('dist', [`dist/${PAGE}`, stampOf('page')])) rmSync(path)
  run('typescript/bin/tsc')
  await bundle()
  chmodSync('dist/kernel/cli/main.js', 0o755)
})
await build('page', [...SHARED, 'client', PAGE], () => {
  run('vite/bin/vite.js', 'build', '--logLevel', 'warn', '-c', `${PAGE}/vite.config.ts`)
})

/** Runs a build unless the last one had the same sources. */
async function build(name, sources, work) {
  const stamp = stampOf(name)
  const hash = createHash('sha256')
  for (const path of sources.flatMap((source) => listFiles(source, name === 'server' ? [PAGE] : []))) {
    hash.update(`${path}\n`).update(readFileSync(path))
  }
  const fingerprint = hash.digest('hex')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) return
  rmSync(stamp, { force: true })
  await work()
  mkdirSync('dist', { recursive: true })
  writeFileSync(stamp, fingerprint)
}

/** The file with the fingerprint of the sources that were built last. */
function stampOf(name) {
  return `dist/.built-${name}`
}

/** The files below a folder, or the file itself, without those below some folders. */
function listFiles(path, without = []) {
  if (!existsSync(path) || without.includes(path)) return []
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .sort()
    .flatMap((name) => listFiles(join(path, name), without))
}

function run(command, ...args) {
  try {
    execFileSync(process.execPath, [join('node_modules', command), ...args], { stdio: 'inherit' })
  } catch {
    process.exit(1)
  }
}
