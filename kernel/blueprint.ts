import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Config, ConfigError, layerConfig, readConfigFile } from './config.ts'
import { assertConsistent, Fault } from './consistency.ts'
import { BUILT_IN, discoverPlugins, type Found, listFolders } from './discovery.ts'
import { type ErrorTable, kernelErrors } from './errors.ts'
import {
  createExtensions,
  type ExtensionPoint,
  type Extensions,
  type FolderEntry,
  loadEntry,
} from './extensions.ts'
import { checkForeign } from './foreign-check.ts'
import { createHost, type Declarations } from './host.ts'
import { kernelRoutes } from './kernel-routes.ts'
import { orderByDependency } from './order.ts'
import { VERSION } from './package.ts'
import type { Plugin } from './plugin.ts'

/** A plugin that will run, with all that it declared. */
export interface PlannedPlugin {
  plugin: Plugin
  source: string
  version: string
  /** Whether the server starts only if this plugin does. */
  required: boolean
  declarations: Declarations
}

/** A plugin that will not run, with the reason; `failed` where that is a fault of its own or of one that it needs. */
export interface AbsentPlugin {
  name: string
  source: string
  version: string
  depends: readonly string[]
  reason: string
  failed: boolean
}

/** All that is known of a server before anything runs: no database, no port, no side effect. */
export interface Blueprint {
  home: string
  version: string
  config: Config
  /** In order of start. */
  plugins: PlannedPlugin[]
  absent: AbsentPlugin[]
  /** The extension points of all plugins, by name, those of absent ones included. */
  points: ReadonlyMap<string, ExtensionPoint>
  /** What was found in the folders of the extension points, failures included. */
  entries: FolderEntry[]
  errors: ErrorTable
}

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

/** Reads configuration and plugins and has every plugin declare itself. */
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
  const { plugins: found, broken, entries: packaged } = await discoverPlugins({ home, packages })
  const declared = new Map(found.map((one) => [one, declare(one)]))
  const points = new Map([...declared.values()].flatMap(({ declarations }) => [...declarations.points]))
  const places = [...packaged, ...listFolders(home, points)]
  const sections = [
    ...found.map(({ value, source }) => ({ name: value.name, source, config: value.config })),
    ...broken,
    ...places.filter(({ source }) => source !== BUILT_IN),
  ]
  const config = layerConfig({
    file,
    env,
    flags,
    plugins: sections.map((section) => ({ ...section, isBuiltIn: section.source === BUILT_IN })),
  })
  const isOn = ({ name, source }: { name: string; source: string }) =>
    config.values.plugins[name]?.enabled ?? source === BUILT_IN
  const isRequired = ({ name, source }: { name: string; source: string }) =>
    source === BUILT_IN || config.values.plugins[name]!.required

  const absent: AbsentPlugin[] = []
  const leaveOut = (row: Omit<AbsentPlugin, 'reason' | 'failed'>, reason: string, fault?: Error) => {
    if (fault && isRequired(row)) throw fault
    absent.push({ ...row, reason, failed: fault !== undefined })
  }
  const leaveOutUnloaded = (row: Omit<AbsentPlugin, 'reason' | 'failed'>, cause: Error) => {
    const reason = `failed to load: ${cause.message}`
    leaveOut(row, reason, new ConfigError(`plugin "${row.name}" (${row.source}) ${reason}`, { cause }))
  }
  const leaveOutDependent = (row: Omit<AbsentPlugin, 'reason' | 'failed'>, missing: AbsentPlugin) => {
    const reason = `needs ${missing.name}, which ${missing.failed ? 'failed' : 'is off'}`
    leaveOut(row, reason, missing.failed ? new ConfigError(`plugin "${row.name}" ${reason}`) : undefined)
  }
  const missingOf = ({ depends }: { depends: readonly string[] }) =>
    absent.find(({ name }) => depends.includes(name))

  for (const { name, source, error } of broken) {
    const row = { name, source, version: '', depends: [] }
    if (isOn(row)) leaveOutUnloaded(row, error)
    else leaveOut(row, SWITCHED_OFF)
  }
  const { ordered, faults } = orderByDependency(found, new Set(absent.map(({ name }) => name)))
  for (const [one, fault] of faults) {
    if (isOn(rowOf(one))) leaveOut(rowOf(one), fault.message, fault)
    else leaveOut(rowOf(one), SWITCHED_OFF)
  }
  let plugins: PlannedPlugin[] = []
  for (const one of ordered) {
    const row = rowOf(one)
    const { declarations, error } = declared.get(one)!
    const missing = missingOf(row)
    if (!isOn(row)) leaveOut(row, SWITCHED_OFF)
    else if (missing) leaveOutDependent(row, missing)
    else if (error) leaveOutUnloaded(row, error)
    else {
      const planned = { ...one, plugin: one.value, required: isRequired(row), declarations }
      const fault = one.source === BUILT_IN ? undefined : findFault(() => checkForeign(declarations, points))
      if (fault) leaveOutUnloaded(row, fault)
      else plugins.push(planned)
    }
  }

  const entries: FolderEntry[] = []
  for (const place of places) {
    if (!isOn(place) || !plugins.some(({ declarations }) => declarations.points.has(place.point))) continue
    const entry = await loadEntry(place, points.get(place.point)!)
    if (entry.error && isRequired(entry)) throw entry.error
    entries.push(entry)
  }

  // Without the one that is at fault, others may lack what they need of it.
  for (;;) {
    const errors: ErrorTable = Object.assign({}, kernelErrors, ...plugins.map(({ plugin }) => plugin.errors))
    const blueprint = { home, version: VERSION, config, plugins, absent, points, entries, errors }
    try {
      assertConsistent(blueprint, kernelRoutes(blueprint))
      return blueprint
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      const { owner } = error
      const entry = entries.find((one) => one.owner === owner)
      if (entry) {
        if (isRequired(entry)) throw error
        Object.assign(entry, { error, value: undefined })
        continue
      }
      const faulty = plugins.find(({ plugin }) => plugin.name === owner)!
      leaveOut(rowOf({ ...faulty, value: faulty.plugin }), error.message, error)
      const remaining: PlannedPlugin[] = []
      for (const planned of plugins) {
        if (planned === faulty) continue
        const row = rowOf({ ...planned, value: planned.plugin })
        const missing = missingOf(row)
        if (missing) leaveOutDependent(row, missing)
        else remaining.push(planned)
      }
      plugins = remaining
    }
  }
}

/** What every extension point of a running plugin holds, by the point's name, without what plugins added that `failed`. */
export function extensionsOf(
  { plugins, entries }: Pick<Blueprint, 'plugins' | 'entries'>,
  failed?: Pick<ReadonlySet<string>, 'has'>,
): Map<string, Extensions<unknown>> {
  const added = [
    ...entries.flatMap(({ point, value: entry, owner, error }) => (error ? [] : [{ point, entry, owner }])),
    ...plugins.flatMap(({ plugin: { name: owner }, declarations }) =>
      declarations.extensions.map((extension) => ({ ...extension, owner })),
    ),
  ]
  return new Map(
    plugins.flatMap(({ declarations }) =>
      [...declarations.points].map(([name, { nameOf }]) => [
        name,
        createExtensions(
          added.filter(({ point }) => point === name),
          { nameOf, failed },
        ),
      ]),
    ),
  )
}

const SWITCHED_OFF = 'switched off'

const rowOf = ({ value: { name, depends = [] }, source, version }: Found<Plugin>) => ({
  name,
  source,
  version,
  depends,
})

function findFault(check: () => void): Error | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** Has a plugin declare itself; what it throws is returned beside what it had declared by then. */
function declare({ value: plugin }: Found<Plugin>): { declarations: Declarations; error?: Error } {
  const { host, declarations } = createHost(plugin.name)
  try {
    const returned: unknown = plugin.setup(host as never)
    if (returned instanceof Promise) {
      returned.catch(() => undefined)
      throw new Error(
        'its setup is asynchronous; it may only declare, and what takes time belongs into start',
      )
    }
    return { declarations }
  } catch (error) {
    return { declarations, error: error as Error }
  }
}
