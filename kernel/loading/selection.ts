import type { Config } from '../config/config.ts'
import { ConfigError } from '../errors.ts'
import { askForNearest } from '../nearest-name.ts'
import { BUILT_IN } from './package.ts'

/** A plugin, or a folder of an extension point, as it is listed. */
export interface Candidate {
  name: string
  source: string
  version: string
  depends: readonly string[]
}

/** A candidate that will not run, with the reason; `failed` if it or one that it needs is at fault. */
export interface Absent extends Candidate {
  reason: string
  failed: boolean
}

/** Decides which candidates run: the others are switched off, or at fault. */
export type Selection = ReturnType<typeof createSelection>

/** The reason of those that the configuration leaves out. */
export const SWITCHED_OFF = 'switched off'

/** True if the server starts only with the candidate: always so for built-in ones. */
export const isRequired = (
  { values }: Config,
  { name, source }: Pick<Candidate, 'name' | 'source'>,
): boolean => source === BUILT_IN || values.plugins[name]!.required

/** Begins a selection in which nothing is left out. */
export function createSelection(config: Config) {
  const { plugins: settings } = config.values
  const absent: Absent[] = []
  /** Leaves out a candidate at fault; throws the fault if the candidate is required. */
  const leaveOut = (candidate: Candidate, fault: Error, reason = fault.message): void => {
    if (isRequired(config, candidate)) throw fault
    absent.push({ ...candidate, reason, failed: true })
  }
  return {
    absent: absent as readonly Absent[],
    leaveOut,
    /** Returns false, and records the candidate as absent, if it is switched off. */
    admits(candidate: Candidate): boolean {
      const isOn = settings[candidate.name]!.enabled
      if (!isOn) absent.push({ ...candidate, reason: SWITCHED_OFF, failed: false })
      return isOn
    },
    /** Returns false, and leaves out the candidate, if a plugin that it depends on is absent; throws if it is required. */
    admitsDependencies(candidate: Candidate): boolean {
      const missing = absent.find(({ name }) => candidate.depends.includes(name))
      if (!missing) return true
      const reason = `needs ${missing.name}, which ${missing.failed ? 'failed' : 'is off'}`
      if (missing.failed) leaveOut(candidate, new ConfigError(`plugin "${candidate.name}" ${reason}`), reason)
      else absent.push({ ...candidate, reason, failed: false })
      return false
    },
    /** Leaves out a candidate that could not be loaded. */
    leaveOutUnloaded(candidate: Candidate, cause: Error): void {
      const reason = `failed to load: ${cause.message}`
      const fault = new ConfigError(`plugin "${candidate.name}" (${candidate.source}) ${reason}`, { cause })
      leaveOut(candidate, fault, reason)
    },
  }
}

/**
 * Puts plugins after those they depend on, otherwise in the order given. Plugins that depend on each other, or on one
 * that is neither here nor `absent`, come with the reason instead: a circle is written as `a -> b -> a`.
 */
export function orderByDependency<Item extends Pick<Candidate, 'name' | 'depends'>>(
  items: readonly Item[],
  absent: ReadonlySet<string>,
): { ordered: Item[]; faults: Map<Item, ConfigError> } {
  const byName = new Map(items.map((item) => [item.name, item]))
  const ordered = new Set<Item>()
  const faults = new Map<Item, ConfigError>()
  const visit = (item: Item, path: string[]) => {
    const { name, depends } = item
    if (ordered.has(item) || faults.has(item)) return
    if (path.includes(name)) {
      const circle = path.slice(path.indexOf(name))
      const fault = new ConfigError(`plugins depend on each other: ${[...circle, name].join(' -> ')}`)
      for (const member of circle) faults.set(byName.get(member)!, fault)
      return
    }
    for (const dependencyName of depends) {
      if (absent.has(dependencyName)) continue
      const dependency = byName.get(dependencyName)
      if (dependency) visit(dependency, [...path, name])
      else
        faults.set(
          item,
          new ConfigError(
            `plugin "${name}" depends on "${dependencyName}", but no plugin has that name${askForNearest(dependencyName, [...byName.keys(), ...absent])}`,
          ),
        )
    }
    if (!faults.has(item)) ordered.add(item)
  }
  for (const item of items) visit(item, [])
  return { ordered: [...ordered], faults }
}
