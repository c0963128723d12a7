import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createProcessFolder } from './home.ts'

const run = promisify(execFile)

/** The folder of this repository. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const MODULES = join(ROOT, 'node_modules')

/** This package as somebody else has it: installed in a folder with nothing but it and a compiler. */
export interface Packed {
  /** The folder that it is installed in. */
  outside: string
  /** The package itself, as it was packed. */
  root: string
  /** What was packed, as paths in their order. */
  files: string[]
  /** Compiles a project; the output of the compiler where there are errors, else nothing. */
  compile(folder: string): Promise<string>
  /** Runs the compiled tests of a package with `node --test`, and returns what they print. */
  runTests(folder: string): Promise<string>
}

/** Packs this package and installs it, with links to what it says that it depends on. */
export async function installPacked(): Promise<Packed> {
  const outside = createProcessFolder('outside')
  const modules = join(outside, 'node_modules')
  const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', outside]
  const { stdout } = await run('npm', packing, { cwd: ROOT })
  const [{ filename, files }] = JSON.parse(stdout)
  const root = join(modules, 'agent-platform-service')
  mkdirSync(root, { recursive: true })
  await run('tar', ['-xzf', join(outside, filename), '-C', root, '--strip-components=1'])
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) link(modules, name)
  for (const name of ['typescript', '@types/node']) link(modules, name)
  return {
    outside,
    root,
    files: files.map(({ path }: { path: string }) => path).sort(),
    async compile(folder) {
      const compiler = join(modules, 'typescript/bin/tsc')
      const ended = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error)
      return ended.stdout
    },
    async runTests(folder) {
      const tests = join(folder, 'dist/test')
      const named = readdirSync(tests).filter((file) => file.endsWith('.test.js'))
      const { NODE_TEST_CONTEXT, NODE_V8_COVERAGE, ...env } = process.env
      const args = ['--test', '--test-reporter=tap', ...named.map((file) => join(tests, file))]
      const ended = await run(process.execPath, args, { cwd: folder, env }).catch((error) => error)
      return ended.stdout
    },
  }
}

/** Links a package of this repository, where there is one for this system. */
function link(modules: string, name: string): void {
  const target = join(MODULES, name)
  if (!existsSync(target)) return
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(target, join(modules, name))
}

/** The files of a folder of this repository, as paths from its root. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length))
