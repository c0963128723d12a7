import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Blueprint, BUILT_IN, type JSONSchema, locate, objectOf, readServerNote } from '#plugin-api'
import { readConfigFile } from '#plugin-api/operation'
import { type ConfigContent, packagesOf } from './config-file.ts'
import type { Cradle } from './manifest.ts'
import { listPlugins, type PluginRow } from './plugin-rows.ts'
import { maskedSettings, settingsSchema } from './section-values.ts'

/** A plugin, or a folder or package that adds an entry, as administrators see it. */
export interface AdminPlugin {
  name: string
  version: string
  source: string
  state: 'running' | 'failed' | 'disabled' | 'added' | 'removed'
  error: string | null
  summary: string | null
  depends: string[]
  /** Plugins that are on and depend on it. */
  needed_by: string[]
  brings: {
    routes: string[]
    sockets: string[]
    jobs: string[]
    commands: string[]
    permissions: string[]
    collections: string[]
    extension_points: string[]
    entries: { point: string; name: string }[]
  }
  /** True if the next start runs it. */
  enabled: boolean
  can_be_disabled: boolean
  config_schema: JSONSchema
  /** The settings of the next start; secrets are masked. */
  config: Record<string, unknown>
  /** The settings that variables and flags fix, each with what sets it. */
  set_by: Record<string, string>
  needs_restart: boolean
}

/** The parts of the server that the list is made from. */
export interface ListParts {
  /** Returns the blueprint with the plugins that run; the kernel provides it to built-in plugins. */
  blueprint(): Blueprint
  server: Cradle['server']
}

/** Lists every plugin of this server, and those that the next start adds or drops. */
export function listAdminPlugins({ blueprint: read, server }: ListParts): AdminPlugin[] {
  const blueprint = read()
  const file = readUsableFile(server.home)
  const next = nextConfig(blueprint, file)
  const brought = listPlugins(blueprint)
  const reasons = readServerNote(server.home)?.failed ?? {}
  const isOn = (name: string) => next.values.plugins[name]?.enabled ?? true
  const states = [
    ...server.plugins(),
    ...brought
      .filter(({ source, status }) => source !== BUILT_IN && status === 'ok')
      .filter(({ name }) => !server.plugins().some((plugin) => plugin.name === name))
      .map(({ name, version, source }) => ({ name, version, source, state: 'running' as const })),
  ]
  const dependents = (name: string) =>
    [...blueprint.manifests.values()]
      .filter((other) => other.depends?.includes(name) && isOn(other.name))
      .map((other) => other.name)
      .sort()

  const rows = states.map(({ name, version, source, state }): AdminPlugin => {
    const row = brought.find((plugin) => plugin.name === name)
    const manifest = blueprint.manifests.get(name)
    const schema = schemaOf(blueprint, name)
    const section = next.values.plugins[name] ?? {}
    const running = blueprint.config.values.plugins[name]
    const isRemoved = !isInstalled(source, { blueprint, file })
    const needed_by = dependents(name)
    return {
      name,
      version,
      source,
      state: isRemoved ? 'removed' : state,
      error: state === 'running' ? null : (row?.error ?? reasons[name] ?? null),
      summary: manifest?.summary ?? null,
      depends: [...(manifest?.depends ?? [])],
      needed_by,
      brings: bringsOf(row),
      enabled: isOn(name),
      can_be_disabled: !manifest?.always && name !== 'plugins' && needed_by.length === 0,
      config_schema: schema,
      config: maskedSettings(section, schema),
      set_by: fixedSettings(next, name),
      needs_restart: isRemoved || !isDeepStrictEqual(section, running),
    }
  })
  const added = listAdded({ blueprint, file, sources: new Set(states.map(({ source }) => source)) })
  return [...rows, ...added].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Returns the schema of the settings of a plugin; that of nothing if it could not be loaded. */
export function schemaOf({ config, manifests }: Blueprint, name: string): JSONSchema {
  const section = config.sectionOf(name)
  return section && manifests.has(name) ? settingsSchema(section) : objectOf({})
}

/** The content of the file; that of an empty one if it cannot be read, which a restart reports. */
function readUsableFile(home: string): ConfigContent {
  try {
    return readConfigFile(home)
  } catch {
    return {}
  }
}

/** The configuration of the next start, for the plugins that this process has loaded. */
export function nextConfig({ config, configOf }: Blueprint, file: ConfigContent): Blueprint['config'] {
  const sections = Object.entries((file.plugins ?? {}) as ConfigContent)
  const loaded = sections.filter(([name]) => config.sectionOf(name))
  try {
    return configOf({ ...file, plugins: Object.fromEntries(loaded) })
  } catch {
    return config
  }
}

/** The settings of a plugin that the API cannot change, each with the variable, flag or file that sets it. */
export const fixedSettings = (config: Blueprint['config'], name: string): Record<string, string> =>
  Object.fromEntries([
    ...listOperatorSettings(config, name).map((key) => [key, 'file config.json']),
    ...config
      .rows()
      .filter(({ key, source }) => key.startsWith(`plugins.${name}.`) && /^(env|flag) /.test(source))
      .map(({ key, source }) => [key.slice(`plugins.${name}.`.length), source]),
  ])

/** The settings that reach beyond the service to its machine, which administrators of the service do not change. */
function listOperatorSettings(config: Blueprint['config'], name: string): string[] {
  const { properties = {} } = config.sectionOf(name) ?? {}
  return Object.entries(properties as Record<string, JSONSchema>).flatMap(([key, { operator }]) =>
    operator === true ? [key] : [],
  )
}

function isInstalled(
  source: string,
  { blueprint, file }: { blueprint: Blueprint; file: ConfigContent },
): boolean {
  if (source.startsWith('/')) return existsSync(source)
  return !blueprint.config.values.packages.includes(source) || packagesOf(file).includes(source)
}

/** The packages and folders that were added since the start. */
function listAdded({
  blueprint,
  file,
  sources,
}: {
  blueprint: Blueprint
  file: ConfigContent
  sources: ReadonlySet<string>
}): AdminPlugin[] {
  const parents = ['plugins', ...[...blueprint.points.values()].flatMap(({ folder }) => folder ?? [])]
  const folders = parents.flatMap((parent) => listFoldersIn(join(blueprint.home, parent)))
  const packages = packagesOf(file).map((name) => ({
    name,
    folder: join(blueprint.home, 'node_modules', name),
  }))
  return [...folders.map((folder) => ({ name: folder, folder })), ...packages]
    .filter(({ name }) => !sources.has(name))
    .map(({ name, folder }) => ({
      name: basename(name),
      version: versionIn(folder),
      source: name,
      state: 'added',
      error: null,
      summary: null,
      depends: [],
      needed_by: [],
      brings: bringsOf(undefined),
      enabled: true,
      can_be_disabled: false,
      config_schema: objectOf({}),
      config: {},
      set_by: {},
      needs_restart: true,
    }))
}

function versionIn(folder: string): string {
  try {
    return locate(folder, basename(folder)).version
  } catch {
    return ''
  }
}

const listFoldersIn = (parent: string): string[] =>
  existsSync(parent)
    ? readdirSync(parent, { withFileTypes: true })
        .filter((child) => (child.isDirectory() || child.isSymbolicLink()) && !child.name.startsWith('.'))
        .map(({ name }) => join(parent, name))
    : []

/** The things that a plugin brings, by kind. */
function bringsOf(row: PluginRow | undefined): AdminPlugin['brings'] {
  const { declares = {}, extends: entries = [], points = {} } = row ?? {}
  const { routes = [], sockets = [], jobs = [], commands = [], permissions = [], collections = [] } = declares
  const extension_points = Object.keys(points)
  return { routes, sockets, jobs, commands, permissions, collections, extension_points, entries }
}
