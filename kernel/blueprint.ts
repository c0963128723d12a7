import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Config, ConfigError, layerConfig, readConfigFile } from './config.ts'
import { assertConsistent } from './consistency.ts'
import { discoverKinds, discoverPlugins } from './discovery.ts'
import { type ErrorTable, kernelErrors } from './errors.ts'
import { createHost, type Declarations } from './host.ts'
import { kernelRoutes } from './kernel-routes.ts'
import { orderByDependency } from './order.ts'
import type { Plugin } from './plugin.ts'
import { createRegistry, type OpenRegistry } from './registry.ts'
import type { Registries } from './types.ts'
import { VERSION } from './version.ts'

/** A plugin that will run, with all that it declared. */
export interface PlannedPlugin {
  plugin: Plugin
  source: string
  version: string
  optional: boolean
  declarations: Declarations
}

/** A plugin that will not run, with the reason; `failed` where that is a fault of its own. */
export interface AbsentPlugin {
  reason: string
  failed: boolean
  source: string
  version: string
  depends: readonly string[]
}

/** All that is known of a server before anything runs: no database, no port, no side effect. */
export interface Blueprint {
  home: string
  version: string
  config: Config
  /** In order of start. */
  plugins: PlannedPlugin[]
  /** Plugins that will not run, by name. */
  absent: Map<string, AbsentPlugin>
  errors: ErrorTable
}

/** The registries as they are filled from folders and by these plugins. */
export type OpenRegistries = { [Name in keyof Registries]: OpenRegistry<Registries[Name]> }

/** Where the server keeps what is its own: `SVC_HOME`, else `~/.svc`; made if it is not there. */
export function homeOf(env: NodeJS.ProcessEnv): string {
  const home = resolve(env.SVC_HOME || join(homedir(), '.svc'))
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new ConfigError(`the home ${home} cannot be made: ${(error as Error).message}`, { cause: error })
  }
  return home
}

/** Reads configuration and plugins and has every enabled plugin declare itself. */
export async function readBlueprint({
  home,
  env,
  flags = {},
}: {
  home: string
  env: NodeJS.ProcessEnv
  flags?: Record<string, string | undefined>
}): Promise<Blueprint> {
  const file = readConfigFile(home)
  const packages = Array.isArray(file.packages)
    ? file.packages.filter((name) => typeof name === 'string')
    : []
  const { plugins: found, broken } = await discoverPlugins({ home, packages, version: VERSION })
  const sections = [...found.map(({ value }) => value), ...broken.map(({ name }) => ({ name }))]
  const config = layerConfig({ file, env, flags, plugins: sections })
  const settings = config.values.plugins

  const plugins: PlannedPlugin[] = []
  const absent: Blueprint['absent'] = new Map()
  const giveUp = (name: string, source: string, error: Error): string => {
    const reason = `failed to load: ${error.message}`
    if (!settings[name]!.optional)
      throw new ConfigError(`plugin "${name}" (${source}) ${reason}`, { cause: error })
    return reason
  }
  for (const { name, source, error } of broken) {
    const failed = settings[name]!.enabled
    const reason = failed ? giveUp(name, source, error) : SWITCHED_OFF
    absent.set(name, { reason, failed, source, version: '', depends: [] })
  }
  for (const { value: plugin, source, version } of orderByDependency(found, absent)) {
    const { name, depends = [] } = plugin
    const leaveOut = (reason: string, failed = false) =>
      absent.set(name, { reason, failed, source, version, depends })
    const missing = depends.find((dependency) => absent.has(dependency))
    if (!settings[name]!.enabled) leaveOut(SWITCHED_OFF)
    else if (missing) leaveOut(`needs ${missing}, which is off`)
    else {
      const { host, declarations } = createHost({ isBuiltIn: source === 'built-in' })
      try {
        plugin.setup(host)
        plugins.push({ plugin, source, version, optional: settings[name]!.optional, declarations })
      } catch (error) {
        leaveOut(giveUp(name, source, error as Error), true)
      }
    }
  }
  const errors: ErrorTable = { ...kernelErrors }
  for (const { plugin } of plugins) Object.assign(errors, plugin.errors)
  const blueprint = { home, version: VERSION, config, plugins, absent, errors }
  assertConsistent(blueprint, kernelRoutes(blueprint))
  return blueprint
}

const SWITCHED_OFF = 'switched off'

/** Fills the registries from the kinds' folders and from what these plugins registered. */
export async function fillRegistries(plugins: readonly PlannedPlugin[]): Promise<OpenRegistries> {
  const registries: OpenRegistries = {
    provider_kinds: createRegistry('provider kind', ({ kind }) => kind),
    channel_kinds: createRegistry('channel kind', ({ kind }) => kind),
    tools: createRegistry('tool', ({ name }) => name),
    experts: createRegistry('expert', ({ id }) => id),
    permissions: createRegistry('permission', ({ key }) => key),
  }
  for (const { registry, entry, owner } of await discoverKinds()) registries[registry].add(entry, owner)
  for (const { plugin, declarations } of plugins) {
    for (const permission of plugin.permissions ?? []) registries.permissions.add(permission, plugin.name)
    for (const { registry, entry } of declarations.entries) registries[registry].add(entry, plugin.name)
  }
  return registries
}
