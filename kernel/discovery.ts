import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { assertPlugin, type Plugin } from './plugin.ts'
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

/** A plugin's module that could not be loaded, with the name it would go by. */
export interface BrokenPlugin {
  name: string
  source: string
  error: Error
}

interface Location {
  entry: string
  source: string
  version: string
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
  const locations: Location[] = [
    ...foldersIn(join(BUILT_IN_ROOT, 'plugins')).map((folder) => ({
      entry: join(folder, 'index.js'),
      source: 'built-in',
      version,
    })),
    ...packages.map((name) => locate(findPackage(name, home), name)),
    ...foldersIn(join(home, 'plugins')).map((folder) => locate(folder, folder)),
  ]
  const plugins: Found<Plugin>[] = []
  const broken: BrokenPlugin[] = []
  for (const { entry, source, version } of locations) {
    try {
      const plugin = assertPlugin(await loadDefault(entry), source)
      plugins.push({ value: plugin, source, version: plugin.version ?? version })
    } catch (error) {
      const name = dirname(entry).split('/').at(-1)!
      broken.push({ name, source, error: error as Error })
    }
  }
  refuseSameNames(plugins)
  return { plugins, broken }
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
  if (!folder)
    throw new Error(`the package "${name}" that the configuration names is not installed in ${home}`)
  return folder
}

const ancestors = (path: string): string[] =>
  dirname(path) === path ? [path] : [path, ...ancestors(dirname(path))]

function locate(folder: string, source: string): Location {
  const file = join(folder, 'package.json')
  const manifest = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const entry = exportedEntry(manifest.exports) ?? manifest.main ?? 'index.js'
  return { entry: join(folder, entry), source, version: manifest.version ?? '0.0.0' }
}

/** The file that `import` gets from a package's `exports`. */
function exportedEntry(exported: unknown): string | undefined {
  if (typeof exported !== 'object' || exported === null) return exported as string | undefined
  const conditions = exported as Record<string, unknown>
  return exportedEntry(conditions['.'] ?? conditions.import ?? conditions.node ?? conditions.default)
}

function refuseSameNames(plugins: Found<Plugin>[]): void {
  const sources = new Map<string, string>()
  for (const { value, source } of plugins) {
    const other = sources.get(value.name)
    if (other) throw new Error(`two plugins are named "${value.name}": ${other} and ${source}`)
    sources.set(value.name, source)
  }
}
