import { existsSync, mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type Config, layerConfig, readConfigFile } from '../config/config.ts'
import { acceptLimits, acceptSettings, fetchSettings } from '../config/config-schema.ts'
import type { Command } from '../contract/command.ts'
import { assertErrorForm } from '../contract/error-form.ts'
import { createExtensions, type ExtensionPoint, type FailedPlugins } from '../contract/extensions.ts'
import { createHost } from '../contract/host.ts'
import { confine, type ForeignFolder } from '../contract/isolation.ts'
import type { Manifest, Plugin } from '../contract/plugin.ts'
import { ConfigError, type ErrorTable, kernelErrors } from '../errors.ts'
import { kernelRoutes } from '../http/health.ts'
import { nameNearest } from '../nearest-name.ts'
import {
  type Assembly,
  assertConsistent,
  checkForeign,
  type Fault,
  type PlannedPlugin,
} from './consistency.ts'
import {
  discoverPlugins,
  type EntryPlace,
  type FolderEntry,
  type Found,
  listFolders,
  loadEntry,
  type Trial,
} from './discovery.ts'
import { BUILT_IN, VERSION } from './package.ts'
import {
  type Absent,
  type Candidate,
  createSelection,
  orderByDependency,
  type Selection,
} from './selection.ts'

/** Everything that is known of a server before it runs: no database, no port, no side effect. */
export interface Blueprint extends Assembly {
  home: string
  version: string
  config: Config
  /** Plugins and folders that will not run. */
  absent: readonly Absent[]
  /** The manifests of all plugins that load, by name, with those that are switched off. */
  manifests: ReadonlyMap<string, Manifest>
  /** Returns the configuration with other content of the file; throws a `ConfigError` as a start would. */
  configOf(file: Record<string, unknown>): Config
}

/** The extension points of the kernel itself. */
const kernelPoints: [string, ExtensionPoint][] = [
  ['kernel.audit', { noun: 'audit log' }],
  ['kernel.changes', { noun: 'judge of changes' }],
  ['kernel.error_forms', { noun: 'form of errors', check: assertErrorForm }],
  ['kernel.repetition', { noun: 'store of replies' }],
  ['kernel.requests', { noun: 'record of requests' }],
]

/** Returns the path of the server's folder: `SVC_HOME`, else `~/.svc`. */
export const homePath = (env: NodeJS.ProcessEnv): string => resolve(env.SVC_HOME || join(homedir(), '.svc'))

/** Returns the server's folder; creates it if it does not exist. */
export function homeOf(env: NodeJS.ProcessEnv): string {
  const home = homePath(env)
  try {
    // mkdir with `recursive` loops forever in a folder such as /proc.
    const recursive = !existsSync(dirname(home))
    if (!existsSync(home) || !statSync(home).isDirectory()) mkdirSync(home, { recursive, mode: 0o700 })
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
  plugins: passedPlugins = [],
  trial,
  file = readConfigFile(home),
}: {
  home: string
  env: NodeJS.ProcessEnv
  flags?: Record<string, string | undefined>
  /** Plugins in addition to the installed ones. */
  plugins?: readonly Plugin[]
  /** One more folder to load. */
  trial?: Trial
  /** Content to read in place of the home's `config.json`. */
  file?: Record<string, unknown>
}): Promise<Blueprint> {
  const packages = Array.isArray(file.packages)
    ? file.packages.filter((name) => typeof name === 'string')
    : []
  const {
    plugins: loadedPlugins,
    broken: unloaded,
    entries: packaged,
  } = await discoverPlugins({ home, packages, passed: passedPlugins, trial })
  const loaded = loadedPlugins.map(declare)
  const points = new Map([...kernelPoints, ...loaded.flatMap(({ declarations }) => [...declarations.points])])
  const events = new Set(loaded.flatMap(({ plugin }) => plugin.events ?? []))
  const permissions = new Set(
    loaded.flatMap(({ plugin }) => (plugin.permissions ?? []).map(({ key }) => key)),
  )
  const folders = listFolders(home, points)
  const builtInFolders = new Map(
    folders.filter(({ source }) => source === BUILT_IN).map((folder) => [folder.name, folder]),
  )
  const declared = loaded.map((plugin) => refuseNameOf(builtInFolders, plugin))
  const pluginNames = new Set(declared.map(({ name }) => name))
  const broken = unloaded.map((plugin) => withOwnName(plugin, pluginNames))
  const claimedNames = new Set([...pluginNames, ...builtInFolders.keys()])
  // Built-in folders claim their names first.
  const places = [...packaged, ...folders]
    .map((candidate) => withOwnName(candidate, claimedNames))
    .sort((a, b) => Number(b.source === BUILT_IN) - Number(a.source === BUILT_IN))
  const candidates = [...broken, ...declared, ...places.filter(({ name }) => !pluginNames.has(name))]
  const configOf = (file: Record<string, unknown>) =>
    layerConfig({ file, env, flags, plugins: sectionsOf(candidates, file) })
  const config = configOf(file)

  const selection = createSelection(config)
  for (const { error, ...candidate } of broken)
    if (selection.admits(candidate)) selection.leaveOutUnloaded(candidate, error)
  const plugins = selectPlugins(declared, points, selection)
  const entries = await selectEntries(places, points, plugins, selection)
  const manifests = new Map(declared.map(({ name, plugin }) => [name, plugin]))
  const { absent } = selection
  const parts = { points, events, permissions, manifests, configOf }
  const blueprint = { home, version: VERSION, config, absent, ...parts }
  // Without the plugin at fault, others may lack what they need.
  for (let remaining: Pick<Blueprint, 'plugins' | 'entries'> = { plugins, entries }; ; ) {
    const errors: ErrorTable = Object.assign(
      {},
      kernelErrors,
      ...remaining.plugins.map(({ plugin }) => plugin.errors),
    )
    try {
      const whole = { ...blueprint, ...remaining, errors }
      assertConsistent(whole, kernelRoutes)
      return whole
    } catch (error) {
      remaining = leaveOutFaulty(remaining, error as Fault, selection)
    }
  }
}

/** Lists the commands of built-in plugins that need no configuration. */
export async function listStandaloneCommands(home: string): Promise<Command[]> {
  const { plugins } = await discoverPlugins({ home, packages: [], passed: [] })
  return plugins
    .filter(({ source }) => source === BUILT_IN)
    .flatMap((plugin) => declare(plugin).declarations.commands)
    .filter(({ standalone }) => standalone)
}

/** A plugin that has declared itself; `error` is what its setup threw. */
interface Declared extends PlannedPlugin {
  error?: Error
}

/** Has a plugin declare itself. */
function declare({ value: plugin, ...origin }: Found<Plugin>): Declared {
  const { name, depends = [] } = plugin
  const isBuiltIn = origin.source === BUILT_IN
  const { host, declarations } = createHost(name, { isBuiltIn })
  const confined = isBuiltIn ? plugin : confine(name, plugin)
  const declared = { ...origin, name, depends, plugin: confined, declarations }
  try {
    const returned: unknown = confined.setup(host as never)
    declarations.close()
    if (!(returned instanceof Promise)) return declared
    // It is refused, whatever its outcome.
    returned.catch(() => undefined)
    throw new Error(
      'its setup is asynchronous; setup may only declare, work that takes time belongs in start',
    )
  } catch (error) {
    return { ...declared, error: error as Error }
  }
}

/** Adds an error to a plugin with the name of a built-in folder, because both would have the same settings. */
const refuseNameOf = (builtInFolders: ReadonlyMap<string, EntryPlace>, plugin: Declared): Declared => {
  const folder = builtInFolders.get(plugin.name)
  if (!folder) return plugin
  const error = new Error(
    `its name is that of an entry of "${folder.point}" that comes with the server: rename it`,
  )
  return { ...plugin, error }
}

/** Renames a candidate to its source if its name is claimed, so that two candidates share neither settings nor failures. */
const withOwnName = <Row extends Pick<Candidate, 'name' | 'source'>>(
  row: Row,
  claimedNames: ReadonlySet<string>,
) => (claimedNames.has(row.name) && row.source !== BUILT_IN ? { ...row, name: row.source } : row)

const sectionsOf = (
  candidates: readonly (Pick<Candidate, 'name' | 'source'> & { plugin?: Plugin; error?: Error })[],
  file: Record<string, unknown>,
) =>
  candidates.map(({ name, source, plugin, error }) => ({
    name,
    isBuiltIn: source === BUILT_IN,
    config: {
      ...(plugin && source !== BUILT_IN && fetchSettings),
      ...(plugin?.config ?? (error && acceptSettings(file, name))),
    },
    limits: plugin?.limits ?? (error && acceptLimits(file)),
  }))

function selectPlugins(
  declared: readonly Declared[],
  points: Blueprint['points'],
  selection: Selection,
): PlannedPlugin[] {
  const { ordered, faults } = orderByDependency(declared, new Set(selection.absent.map(({ name }) => name)))
  for (const [one, fault] of faults)
    if (selection.admits(candidateOf(one))) selection.leaveOut(candidateOf(one), fault)
  return ordered.filter((one) => {
    const candidate = candidateOf(one)
    if (!one.plugin.always && !selection.admits(candidate)) return false
    if (!selection.admitsDependencies(candidate)) return false
    const isForeign = one.source !== BUILT_IN
    const error =
      one.error ??
      (isForeign ? findFault(() => checkForeign(one.declarations, points, one.folder)) : undefined)
    if (error) selection.leaveOutUnloaded(candidate, error)
    return !error
  })
}

async function selectEntries(
  places: readonly EntryPlace[],
  points: Blueprint['points'],
  plugins: readonly PlannedPlugin[],
  selection: Selection,
): Promise<FolderEntry[]> {
  const isActive = (point: string) => plugins.some(({ declarations }) => declarations.points.has(point))
  const entries: FolderEntry[] = []
  for (const { point, locate, ...place } of places) {
    const candidate = { ...place, version: '', depends: [] }
    if (!selection.admits(candidate)) continue
    try {
      const declared = points.get(point)
      if (!declared)
        throw new ConfigError(
          `no plugin declares the extension point "${point}", which its package.json extends${nameNearest(point, points.keys())}`,
        )
      if (isActive(point)) entries.push(await loadEntry({ ...place, point, locate }, declared))
    } catch (error) {
      selection.leaveOut(candidate, error as Error)
    }
  }
  return entries
}

/** Leaves out the plugin or folder at fault and those that need it; returns the rest. */
function leaveOutFaulty(
  { plugins, entries }: Pick<Blueprint, 'plugins' | 'entries'>,
  fault: Fault,
  selection: Selection,
): Pick<Blueprint, 'plugins' | 'entries'> {
  const isFaulty = ({ owner }: { owner: string }) => owner === fault.owner
  for (const entry of entries.filter(isFaulty))
    selection.leaveOut({ ...candidateOf({ ...entry, depends: [] }) }, fault)
  for (const one of plugins.filter(({ name: owner }) => isFaulty({ owner })))
    selection.leaveOut(candidateOf(one), fault)
  return {
    entries: entries.filter((entry) => !isFaulty(entry)),
    plugins: plugins.filter(
      (one) => !isFaulty({ owner: one.name }) && selection.admitsDependencies(candidateOf(one)),
    ),
  }
}

const candidateOf = ({ name, source, version, depends }: Candidate): Candidate => ({
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

/** Lists the folders with third-party code. */
export const foreignFolders = ({
  plugins,
  entries,
}: Pick<Blueprint, 'plugins' | 'entries'>): ForeignFolder[] =>
  [...plugins, ...entries].filter(({ source }) => source !== BUILT_IN)

/** Makes a function that calls an entry with the cradle of its plugin, which exists once every plugin is set up. */
function withCradle(entry: (question: unknown, cradle: unknown) => unknown, cradleOf: () => unknown) {
  let cradle: unknown
  return (question: unknown) => {
    cradle ??= cradleOf()
    return entry(question, cradle)
  }
}

/** Lists the entries of every extension point, by its name, except for failed plugins; functions get their own cradle. */
export function extensionsOf(
  { plugins, entries }: Pick<Blueprint, 'plugins' | 'entries'>,
  { failed, cradleOf }: { failed?: FailedPlugins; cradleOf?: (plugin: string) => unknown } = {},
): Map<string, ReturnType<typeof createExtensions>> {
  const added = [
    ...entries.map(({ point, value: entry, owner, folder }) => ({ point, entry, owner, folder })),
    ...plugins.flatMap(({ name: owner, file, folder, declarations }) =>
      declarations.extensions.map(({ point, entry }) => ({
        point,
        owner,
        file,
        folder,
        entry: typeof entry === 'function' ? withCradle(entry as never, () => cradleOf?.(owner)) : entry,
      })),
    ),
  ]
  const points = [...kernelPoints, ...plugins.flatMap(({ declarations }) => [...declarations.points])]
  return new Map(
    points.map(([name, { nameOf }]) => [
      name,
      createExtensions(
        added.filter(({ point }) => point === name),
        { nameOf, failed },
      ),
    ]),
  )
}
