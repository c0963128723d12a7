import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ExtensionPoint } from '../contract/extensions.ts'
import { confine, runAs } from '../contract/isolation.ts'
import { assertPlugin, assertSettings, type Plugin } from '../contract/plugin.ts'
import { ConfigError } from '../errors.ts'
import { BUILT_IN, BUILT_IN_ROOT, linkServer, VERSION } from './package.ts'
import type { Candidate } from './selection.ts'

/** The source of a plugin that is passed to the server as an object, as tests do. */
const PASSED = 'given'
/** The version of a plugin or entry that does not state one. */
const UNVERSIONED = '0.0.0'

/** A value that was found, with its source; `folder` is the real path of the folder that it was loaded from. */
export interface Found<Value> {
  value: Value
  source: string
  folder: string
  /** The file of its module; missing for one that was passed. */
  file?: string
  version: string
}

/** A plugin that could not be loaded; `name` is its manifest's or, if that could not be read, its folder's. */
interface BrokenPlugin extends Candidate {
  error: Error
}

/** A folder or package whose default export is an entry of an extension point. */
export interface EntryPlace {
  /** The folder's name, under which its settings are. */
  name: string
  source: string
  /** The name of the extension point. */
  point: string
  locate(): Module
}

/** A module to import, the real path of its package, and what the package's manifest says of it. */
export interface Module {
  /** Returns its default export. */
  load(): Promise<unknown>
  folder: string
  file?: string
  version: string
  /** The extension point that a package fills, from `svc.extends` in its package.json. */
  extends?: string
}

/** A folder outside the usual places to load: as a plugin, or as an entry of an extension point. */
export interface Trial {
  folder: string
  point?: string
  /** Folders of plugins that it depends on. */
  beside?: readonly string[]
}

/** The entry that a folder or package adds to an extension point. */
export interface FolderEntry extends Omit<EntryPlace, 'locate'> {
  /** Its name in messages: `channels/irc`, or the name of the package. */
  owner: string
  folder: string
  version: string
  value: unknown
}

/** Imports what a folder or package adds and checks its form; throws one sentence. */
export async function loadEntry(
  { name, source, point, locate }: EntryPlace,
  { check, folder: parent }: ExtensionPoint,
): Promise<FolderEntry> {
  const isBuiltIn = source === BUILT_IN
  const owner = isBuiltIn || isAbsolute(source) ? `${parent ?? point}/${basename(name)}` : source
  try {
    const { load, folder, version } = locate()
    const candidate = await load()
    const value = isBuiltIn ? candidate : confine(name, check ? check(candidate, folder) : candidate)
    return { name, source, point, owner, folder, version, value }
  } catch (cause) {
    throw new ConfigError(`${owner} (${source}) failed to load: ${(cause as Error).message}`, { cause })
  }
}

/** Loads every plugin: built in, named in `packages`, in `<home>/plugins`, passed as objects, and one on trial. */
export async function discoverPlugins({
  home,
  packages,
  passed,
  trial,
}: {
  home: string
  packages: readonly string[]
  passed: readonly Plugin[]
  trial?: Trial
}): Promise<{ plugins: Found<Plugin>[]; broken: BrokenPlugin[]; entries: EntryPlace[] }> {
  const own = foldersIn(join(home, 'plugins'))
  if (own.length > 0 || packages.length > 0) linkServer(home)
  const places = [
    ...listBuiltInPlugins().map(builtIn),
    ...packages.map((name) => ({
      name: basename(name),
      source: name,
      locate: () => locate(findPackage(name, home), basename(name)),
    })),
    ...own.map(foreign),
    ...passed.map((plugin) => ({
      name: plugin.name,
      source: PASSED,
      locate: (): Module => ({ load: async () => plugin, folder: PASSED, version: UNVERSIONED }),
    })),
    ...(trial ? [trial.folder, ...(trial.beside ?? [])].map(foreign) : []),
  ]
  const plugins: Found<Plugin>[] = []
  const broken: BrokenPlugin[] = []
  const entries: EntryPlace[] = []
  const sources = new Map<string, string>()
  for (const { name, source, locate } of places) {
    let candidate: unknown
    try {
      const module = locate()
      const point = module.extends ?? (source === trial?.folder ? trial.point : undefined)
      if (point !== undefined) {
        entries.push({ name, source, point, locate: () => module })
        continue
      }
      candidate = await module.load()
      const plugin = assertPlugin(candidate, source === BUILT_IN)
      const other = sources.get(plugin.name)
      if (other) throw new Error(`two plugins are named "${plugin.name}": ${other} and ${source}`)
      if (source !== BUILT_IN) assertSettings(plugin)
      sources.set(plugin.name, source)
      const { folder, file, version } = module
      plugins.push({ value: plugin, source, folder, file, version: plugin.version ?? version })
    } catch (error) {
      broken.push({
        name: nameIn(candidate) ?? name,
        source,
        version: '',
        depends: [],
        error: error as Error,
      })
    }
  }
  return { plugins, broken, entries }
}

/** Lists the folders of these extension points, of the server and of the home. */
export function listFolders(home: string, points: ReadonlyMap<string, ExtensionPoint>): EntryPlace[] {
  return [...points].flatMap(([point, { folder }]) => {
    if (folder === undefined) return []
    const own = foldersIn(join(home, folder))
    if (own.length > 0) linkServer(home)
    return [...foldersIn(join(BUILT_IN_ROOT, folder)).map(builtIn), ...own.map(foreign)].map((location) => ({
      ...location,
      point,
    }))
  })
}

const builtIn = (folder: string) => ({
  name: basename(folder),
  source: BUILT_IN,
  locate: (): Module => ({ load: () => importDefault(join(folder, 'index.js')), folder, version: VERSION }),
})

const foreign = (folder: string) => ({
  name: basename(folder),
  source: folder,
  locate: () => locate(folder, basename(folder)),
})

/** The folders of the built-in plugins, which are in groups, in the order of their names. */
const listBuiltInPlugins = (): string[] =>
  foldersIn(join(BUILT_IN_ROOT, 'plugins'))
    .flatMap(foldersIn)
    .filter((folder) => existsSync(join(folder, 'index.js')))
    .sort((one, other) => (basename(one) < basename(other) ? -1 : 1))

function nameIn(candidate: unknown): string | undefined {
  const name = (candidate as { name?: unknown } | null | undefined)?.name
  return typeof name === 'string' ? name : undefined
}

/** Returns the default export of a module, also of one that was compiled to CommonJS. */
async function importDefault(file: string): Promise<unknown> {
  const { default: value } = await import(pathToFileURL(file).href)
  return value?.__esModule === true ? value.default : value
}

function foldersIn(parent: string): string[] {
  if (!existsSync(parent)) return []
  return readdirSync(parent, { withFileTypes: true })
    .filter((child) => (child.isDirectory() || child.isSymbolicLink()) && !child.name.startsWith('.'))
    .map(({ name }) => join(parent, name))
    .sort()
}

function findPackage(name: string, home: string): string {
  const roots = [home, ...ancestors(BUILT_IN_ROOT)]
  const folder = roots.map((root) => join(root, 'node_modules', name)).find((path) => existsSync(path))
  if (!folder) throw new Error(`the package is not installed in ${home}`)
  return folder
}

const ancestors = (path: string): string[] =>
  dirname(path) === path ? [path] : [path, ...ancestors(dirname(path))]

interface PackageManifest {
  exports?: unknown
  main?: string
  version?: string
  svc?: { extends?: string }
}

/**
 * Finds the module of a third-party folder; throws one sentence if its file is missing. Work that it begins while it is
 * imported is attributed to it.
 */
export function locate(folder: string, name: string): Module {
  const path = join(folder, 'package.json')
  const manifest = readManifest(path)
  const file = join(folder, exportedEntry(manifest.exports) ?? manifest.main ?? 'index.js')
  if (!existsSync(file))
    throw new Error(`${file} does not exist: build it, or name another file as "exports" in ${path}`)
  return {
    load: () =>
      runAs(name, () =>
        importDefault(file).catch((error) => {
          throw withSyntaxPlace(error, folder, file)
        }),
      ),
    folder: realpathSync(folder),
    file,
    version: manifest.version ?? UNVERSIONED,
    extends: manifest.svc?.extends,
  }
}

function readManifest(file: string): PackageManifest {
  if (!existsSync(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} is not valid JSON: ${(error as Error).message}`, { cause: error })
  }
}

/** Returns the file that `import` loads by a package's `exports`. */
function exportedEntry(exported: unknown): string | undefined {
  if (typeof exported !== 'object' || exported === null) return exported as string | undefined
  const conditions = exported as Record<string, unknown>
  return exportedEntry(conditions['.'] ?? conditions.import ?? conditions.node ?? conditions.default)
}

/** The most files of a folder that are checked, each by a process of its own. */
const MAX_FILES = 20

/**
 * Adds file and line to a SyntaxError of a folder's code, of which `import` reports only the message; other errors stay
 * as they are. Checks the imported file first, then the others of the folder.
 */
function withSyntaxPlace(error: unknown, folder: string, file: string): unknown {
  if (!(error instanceof SyntaxError)) return error
  const position = [file, ...listOtherFiles(folder, file)].map(findSyntaxPlace).find(Boolean)
  return position ? new SyntaxError(`${error.message} (${position})`, { cause: error }) : error
}

/** Returns the path and the line of a file's syntax error. */
function findSyntaxPlace(file: string): string | undefined {
  const { status, stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' })
  if (status === 0) return undefined
  return /^(?:file:\/\/)?(.*:\d+)$/m.exec(stderr)?.[1]
}

const listOtherFiles = (folder: string, file: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.[cm]?js$/.test(path) && !/(^|\/)node_modules\//.test(path))
    .map((path) => join(folder, path))
    .filter((path) => path !== file)
    .slice(0, MAX_FILES)
