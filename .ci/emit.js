// Makes JavaScript of the TypeScript sources without checking their types, which `npm run types` does.
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** Sources that belong to no server: data of tests, templates of `svc plugin new`, and declarations. */
const NOT_COMPILED = /(^|\/)fixtures\/|^plugins\/operation\/scaffold\/templates\/|\.d\.ts$/
/** Folders of the plugins' groups, and of kinds; each entry of one is a plugin or kind. */
const listRooms = () => [
  ...readdirSync('plugins').map((group) => join('plugins', group)),
  'channels',
  'providers',
]
const TARGET = 'node20.19'

/** Compiles every module below some folders into `dist`; nothing of deleted sources is left there. */
export async function emit(folders, except = []) {
  removeEmitted(folders, /\.js(\.map)?$/, except)
  const sources = folders.flatMap((folder) => listFiles(folder, except))
  await Promise.all(
    sources.filter((path) => path.endsWith('.ts') && !NOT_COMPILED.test(path)).map(emitModule),
  )
}

/**
 * Joins the modules of each plugin and kind in its `index.js`, because opening 700 files is a third of what a command
 * costs. The other modules stay, for workers and tests.
 */
export async function bundle() {
  const folders = listRooms().flatMap((room) => readdirSync(room).map((name) => join(room, name)))
  await Promise.all(folders.filter((folder) => existsSync(join(folder, 'index.ts'))).map(bundleFolder))
}

/**
 * Joins a module and the packages that it imports in one small file, so that they need not be installed; `replaced` are
 * texts of the packages and what stands in place of each.
 */
export async function bundlePackages(path, replaced) {
  const { rolldown } = await import('rolldown')
  const missing = new Set(Object.keys(replaced))
  const replace = (code) =>
    Object.entries(replaced).reduce((text, [from, to]) => {
      if (text.includes(from)) missing.delete(from)
      return text.replaceAll(from, to)
    }, code)
  const build = await rolldown({
    input: path,
    platform: 'node',
    transform: { target: TARGET },
    plugins: [{ name: 'replaced', transform: replace }],
  })
  const file = join('dist', path.replace(/\.ts$/, '.js'))
  rmSync(`${file}.map`, { force: true })
  await build.write({ file, minify: true, codeSplitting: false, comments: false })
  await build.close()
  if (missing.size > 0) throw new Error(`The packages of ${path} lack ${[...missing].join(', ')}`)
}

/** Removes the files below folders of `dist` whose names fit a pattern. */
export function removeEmitted(folders, pattern, except = []) {
  for (const folder of folders)
    for (const path of listFiles(
      join('dist', folder),
      except.map((name) => join('dist', name)),
    ))
      if (pattern.test(path)) rmSync(path)
}

/** The files below a folder, without those of some folders and of installed packages. */
export function listFiles(path, except = []) {
  if (!existsSync(path)) return []
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const file = join(path, entry.name)
    if (entry.name === 'node_modules' || except.includes(file)) return []
    return entry.isDirectory() ? listFiles(file, except) : [file]
  })
}

async function emitModule(path) {
  const { transform } = await import('rolldown/utils')
  const { code, map, errors } = await transform(path, await readFile(path, 'utf8'), {
    sourcemap: true,
    target: TARGET,
    typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: true },
  })
  if (errors.length > 0)
    throw new Error(errors.map(({ message, codeframe }) => codeframe ?? message).join('\n'))
  const target = join('dist', path.replace(/\.ts$/, '.js'))
  await mkdir(dirname(target), { recursive: true })
  const sources = [`${'../'.repeat(dirname(target).split('/').length)}${path}`]
  await writeFile(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`)
  await writeFile(`${target}.map`, JSON.stringify({ ...map, sources }))
}

async function bundleFolder(folder) {
  const { rolldown } = await import('rolldown')
  await Promise.all(listFiles(join(folder, 'console')).map(joinConsoleModule))
  const build = await rolldown({
    input: join(folder, 'index.ts'),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    transform: { target: TARGET },
    plugins: [{ name: 'places', transform: keepPlace(resolve(folder)) }],
  })
  await build.write({
    dir: join('dist', folder),
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[hash].js',
  })
  await build.close()
}

/** Joins a module that browsers load with the files that it imports, each of which would be a request. */
async function joinConsoleModule(path) {
  if (!/^export default /m.test(await readFile(path, 'utf8'))) return
  const { rolldown } = await import('rolldown')
  const build = await rolldown({ input: path, platform: 'browser' })
  const file = join('dist', path.replace(/\.ts$/, '.js'))
  rmSync(`${file}.map`, { force: true })
  await build.write({ file, minify: true, codeSplitting: false })
  await build.close()
}

/** Lets modules that move into a bundle find other files by the place that they had. */
const keepPlace = (folder) => (code, id) =>
  code.includes('import.meta.url')
    ? code.replaceAll('import.meta.url', `new URL('./${id.slice(folder.length + 1)}', import.meta.url).href`)
    : undefined
