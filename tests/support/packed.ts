import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runCompiler } from './compiler.ts'
import { createProcessFolder } from './home.ts'

const run = promisify(execFile)

/** The root folder of this repository. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** The packages of the server, and the tools of the tests. */
const MODULES = [join(ROOT, 'node_modules'), join(ROOT, 'tests/node_modules')]

/** This package, installed from its tarball in a folder that has only it and a compiler. */
interface InstalledPackage {
  /** The project folder, which contains `node_modules`. */
  project: string
  /** The folder of the package in `node_modules`. */
  root: string
  /** The sorted paths of the packed files. */
  files: string[]
  /**
   * Compiles projects. Returns the errors, which are an empty text if there are none, and the packages whose
   * declarations the projects read, by their paths in package-lock.json.
   */
  compile(folders: readonly string[]): Promise<{ errors: string; packages: string[] }>
  /** Runs the compiled tests of a package with `node --test` and returns their output. */
  runTests(folder: string): Promise<string>
}

/** Packs this package and installs it, with links to the dependencies that its package.json declares. */
export async function installPackage(): Promise<InstalledPackage> {
  const project = createProcessFolder('project')
  const modules = join(project, 'node_modules')
  const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', project]
  const { stdout } = await run('npm', packing, { cwd: ROOT })
  const [{ filename, files }] = JSON.parse(stdout)
  const root = join(modules, 'agent-platform-service')
  mkdirSync(root, { recursive: true })
  await run('tar', ['-xzf', join(project, filename), '-C', root, '--strip-components=1'])
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) linkPackage(modules, name)
  for (const name of ['typescript', '@types/node']) linkPackage(modules, name)
  return {
    project,
    root,
    files: files.map(({ path }: { path: string }) => path).sort(),
    async compile(folders) {
      // One process reads the types that they share only once.
      const lines = (await runCompiler(['-b', ...folders, '--listFiles'])).split('\n')
      const isFile = (line: string) => isAbsolute(line) && existsSync(line)
      const packages = lines
        .filter(isFile)
        .flatMap((line) => /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(line) ?? [])
      return {
        errors: lines.filter((line) => !isFile(line)).join('\n'),
        packages: [...new Set(packages)].sort(),
      }
    },
    async runTests(folder) {
      const tests = join(folder, 'dist/test')
      const testFiles = readdirSync(tests).filter((file) => file.endsWith('.test.js'))
      const { NODE_TEST_CONTEXT, NODE_V8_COVERAGE, ...env } = process.env
      const args = ['--test', '--test-reporter=tap', ...testFiles.map((file) => join(tests, file))]
      const ended = await run(process.execPath, args, { cwd: folder, env }).catch((error) => error)
      return ended.stdout
    },
  }
}

/** True for a package of package-lock.json, by its path, that is not installed with this package. */
export function isForDevelopment(path: string): boolean {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  return packages[path]?.dev === true
}

/** Links a package that is installed in this repository into another folder: optional ones depend on the system. */
export function linkPackage(modules: string, name: string): void {
  const target = MODULES.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (!target) return
  mkdirSync(dirname(join(modules, name)), { recursive: true })
  symlinkSync(target, join(modules, name))
}

/** Lists the files below a folder of this repository, as paths from its root. */
export const listFiles = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length))
