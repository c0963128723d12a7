import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Config, ConfigError, layerConfig, readConfigFile } from './config.ts'
import { discoverKinds, discoverPlugins, type Found } from './discovery.ts'
import { type ErrorTable, kernelErrors } from './errors.ts'
import { createHost, type Declarations } from './host.ts'
import { leaveOut, orderByDependency } from './order.ts'
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

/** All that is known of a server before anything runs: no database, no port, no side effect. */
export interface Blueprint {
  home: string
  version: string
  config: Config
  /** In order of start. */
  plugins: PlannedPlugin[]
  /** Plugins that will not run, by name, with the reason. */
  absent: Map<string, { reason: string; source: string; version: string; depends: readonly string[] }>
  errors: ErrorTable
}

/** The registries as they are filled from folders and by these plugins. */
export type OpenRegistries = { [Name in keyof Registries]: OpenRegistry<Registries[Name]> }

/** Where the server keeps what is its own: `SVC_HOME`, else `~/.svc`; made if it is not there. */
export function homeOf(env: NodeJS.ProcessEnv): string {
  const home = resolve(env.SVC_HOME || join(homedir(), '.svc'))
  mkdirSync(home, { recursive: true, mode: 0o700 })
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
  const packages = Array.isArray(file.packages) ? (file.packages as string[]) : []
  const { plugins: found, broken } = await discoverPlugins({ home, packages, version: VERSION })
  const sections = [...found.map(({ value }) => value), ...broken.map(({ name }) => ({ name }))]
  const config = layerConfig({ file, env, flags, plugins: sections })
  const settings = config.values.plugins

  const reasons = new Map<string, string>()
  for (const { name } of sections) if (!settings[name]!.enabled) reasons.set(name, 'switched off')
  for (const { name, source, error } of broken) {
    if (reasons.has(name)) continue
    if (!settings[name]!.optional)
      throw new ConfigError(`plugin "${name}" (${source}) failed to load: ${error.message}`, { cause: error })
    reasons.set(name, `failed to load: ${error.message}`)
  }
  const ordered = orderByDependency(found.map((item) => ({ ...item, ...item.value })))
  const { present, absent } = leaveOut(ordered, reasons)

  const plugins = present.map(({ value, source, version }) => {
    const { host, declarations } = createHost()
    value.setup(host)
    return { plugin: value, source, version, optional: settings[value.name]!.optional, declarations }
  })
  const errors: ErrorTable = { ...kernelErrors }
  for (const { plugin } of plugins) Object.assign(errors, plugin.errors)
  assertConsistent(plugins, errors)
  return {
    home,
    version: VERSION,
    config,
    plugins,
    absent: new Map(
      [...absent].map(([name, reason]) => [name, { reason, ...sourceOf(name, found, broken) }]),
    ),
    errors,
  }
}

function sourceOf(name: string, found: Found<Plugin>[], broken: { name: string; source: string }[]) {
  const plugin = found.find(({ value }) => value.name === name)
  const source = plugin?.source ?? broken.find((item) => item.name === name)!.source
  return { source, version: plugin?.version ?? '', depends: plugin?.value.depends ?? [] }
}

/** Fills the registries from the kinds' folders and from what these plugins registered. */
export async function fillRegistries(plugins: readonly PlannedPlugin[]): Promise<OpenRegistries> {
  const registries: OpenRegistries = {
    provider_kinds: createRegistry('provider kind', ({ kind }) => kind),
    channel_kinds: createRegistry('channel kind', ({ kind }) => kind),
    tools: createRegistry('tool', ({ name }) => name),
    permissions: createRegistry('permission', ({ key }) => key),
  }
  for (const { registry, entry, owner } of await discoverKinds()) registries[registry].add(entry, owner)
  for (const { plugin, declarations } of plugins) {
    for (const permission of plugin.permissions ?? []) registries.permissions.add(permission, plugin.name)
    for (const { registry, entry } of declarations.entries) registries[registry].add(entry, plugin.name)
  }
  return registries
}

const MUTATING = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** Refuses names used twice, and routes that name a guard or an error that no plugin declares. */
function assertConsistent(plugins: readonly PlannedPlugin[], errors: ErrorTable): void {
  const owners = new Map<string, string>()
  const claim = (sort: string, name: string, owner: string) => {
    const other = owners.get(`${sort} ${name}`)
    if (other) throw new ConfigError(`${sort} "${name}" is declared by both ${other} and ${owner}`)
    owners.set(`${sort} ${name}`, owner)
  }
  const shape = (path: string) => path.replace(/:\w+/g, ':')
  for (const code of Object.keys(kernelErrors)) claim('error', code, 'the kernel')
  for (const { plugin, declarations } of plugins) {
    for (const code of Object.keys(plugin.errors ?? {})) claim('error', code, plugin.name)
    for (const name of declarations.services.keys()) claim('service', name, plugin.name)
    for (const name of declarations.collections.keys()) claim('collection', name, plugin.name)
    for (const name of declarations.guards.keys()) claim('guard', name, plugin.name)
    for (const { name } of declarations.jobs) claim('job', name, plugin.name)
    for (const { name } of declarations.commands) claim('command', name, plugin.name)
    for (const { path } of declarations.sockets) claim('socket', shape(path), plugin.name)
    for (const { method, path } of declarations.routes)
      claim('route', `${method} ${shape(path)}`, plugin.name)
  }
  for (const { plugin, declarations } of plugins) {
    const refuse = (what: string, wrong: string) => {
      throw new ConfigError(`${what} of plugin "${plugin.name}" ${wrong}`)
    }
    for (const { path, guard } of declarations.sockets) assertGuard(`socket ${path}`, guard)
    for (const { method, path, guard, audit, errors: codes = [] } of declarations.routes) {
      const what = `route ${method} ${path}`
      assertGuard(what, guard)
      if (MUTATING.has(method) && audit === undefined)
        refuse(what, 'changes something but names no audit action')
      for (const code of codes)
        if (!errors[code]) refuse(what, `names the error ${code}, which no plugin declares`)
    }
    function assertGuard(what: string, guard: unknown): void {
      const name = String(Array.isArray(guard) ? guard[0] : guard)
      if (!guard) refuse(what, 'has no guard')
      if (name !== 'public' && !owners.has(`guard ${name}`))
        refuse(what, `uses the guard "${name}", which no plugin declares`)
    }
  }
}
