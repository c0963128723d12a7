import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ConfigError } from './config.ts'
import { assertPlugin, assertSettings, type Plugin } from './plugin.ts'
import type { Registries } from './types.ts'

/** Where something was found: `built-in`, a package's name or a folder. */
export interface Found<Value> {
  value: Value
  source: string
  version: string
}

/** The folder that holds `plugins/`, `channels/` and `providers/` as they are run. */
export const BUILT_IN_ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** Registries that are fed from a folder at the top level, by that folder's name. */
const KIND_FOLDERS: Record<string, keyof Registries> = {
  providers: 'provider_kinds',
  channels: 'channel_kinds',
}

/** A plugin that could not be loaded; `name` is its manifest's or, where that could not be read, its folder's. */
export interface BrokenPlugin {
  name: string
  source: string
  error: Error
}

/** A place where a plugin is to be found, and how its module is found there. */
interface Place {
  name: string
  source: string
  locate(): { entry: string; version: string }
}

/** Loads every plugin there is: built in, named in `packages`, and in `<home>/plugins`. */
export async function discoverPlugins({
  home,
  packages,
  version,
}: {
  home: string
  packages: readonly string[]
  version: string
}): Promise<{ plugins: Found<Plugin>[]; broken: BrokenPlugin[] }> {
  const places: Place[] = [
    ...foldersIn(join(BUILT_IN_ROOT, 'plugins')).map((folder) => ({
      name: basename(folder),
      source: 'built-in',
      locate: () => ({ entry: join(folder, 'index.js'), version }),
    })),
    ...packages.map((name) => ({
      name: basename(name),
      source: name,
      locate: () => locate(findPackage(name, home)),
    })),
    ...foldersIn(join(home, 'plugins')).map((folder) => ({
      name: basename(folder),
      source: folder,
      locate: () => locate(folder),
    })),
  ]
  const plugins: Found<Plugin>[] = []
  const broken: BrokenPlugin[] = []
  for (const { name, source, locate } of places) {
    let candidate: unknown
    try {
      const { entry, version } = locate()
      candidate = await loadDefault(entry)
      const plugin = assertPlugin(candidate)
      if (source !== 'built-in') assertSettings(plugin)
      plugins.push({ value: plugin, source, version: plugin.version ?? version })
    } catch (error) {
      broken.push({ name: nameIn(candidate) ?? name, source, error: error as Error })
    }
  }
  refuseSameNames([...plugins.map(({ value, source }) => ({ name: value.name, source })), ...broken])
  return { plugins, broken }
}

function nameIn(candidate: unknown): string | undefined {
  const name = (candidate as { name?: unknown } | null | undefined)?.name
  return typeof name === 'string' ? name : undefined
}

/** Loads the kinds in the folders `providers/` and `channels/`. */
export async function discoverKinds(): Promise<
  { registry: keyof Registries; entry: never; owner: string }[]
> {
  const found = []
  for (const [folder, registry] of Object.entries(KIND_FOLDERS))
    for (const path of foldersIn(join(BUILT_IN_ROOT, folder))) {
      const owner = path.slice(BUILT_IN_ROOT.length + 1)
      found.push({ registry, entry: (await loadDefault(join(path, 'index.js'))) as never, owner })
    }
  return found
}

const loadDefault = async (entry: string): Promise<unknown> =>
  (await import(pathToFileURL(entry).href)).default

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

function locate(folder: string): { entry: string; version: string } {
  const manifest = readManifest(join(folder, 'package.json'))
  const entry = exportedEntry(manifest.exports) ?? manifest.main ?? 'index.js'
  return { entry: join(folder, entry), version: manifest.version ?? '0.0.0' }
}

function readManifest(file: string): { exports?: unknown; main?: string; version?: string } {
  if (!existsSync(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${file} is not valid JSON: ${(error as Error).message}`, { cause: error })
  }
}

/** The file that `import` gets from a package's `exports`. */
function exportedEntry(exported: unknown): string | undefined {
  if (typeof exported !== 'object' || exported === null) return exported as string | undefined
  const conditions = exported as Record<string, unknown>
  return exportedEntry(conditions['.'] ?? conditions.import ?? conditions.node ?? conditions.default)
}

function refuseSameNames(plugins: readonly { name: string; source: string }[]): void {
  const sources = new Map<string, string>()
  for (const { name, source } of plugins) {
    const other = sources.get(name)
    if (other) throw new ConfigError(`two plugins are named "${name}": ${other} and ${source}`)
    sources.set(name, source)
  }
}
