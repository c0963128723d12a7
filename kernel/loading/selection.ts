import type { Config } from '../config/config.ts'
import { ConfigError } from '../errors.ts'
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
export interface Selection {
  readonly absent: readonly Absent[]
  /** False, and noted, if the candidate is switched off. */
  admits(candidate: Candidate): boolean
  /** False, and noted, if a plugin that the candidate depends on is left out; throws if the candidate is required. */
  admitsDependencies(candidate: Candidate): boolean
  /** Leaves out what is at fault; throws the fault if the candidate is required. */
  leaveOut(candidate: Candidate, fault: Error, reason?: string): void
  /** Leaves out what could not be loaded. */
  leaveOutUnloaded(candidate: Candidate, cause: Error): void
}

/** The reason of those that the configuration leaves out. */
export const SWITCHED_OFF = 'switched off'

/** True if the server starts only with the candidate: always so for built-in ones. */
export const isRequired = (
  { values }: Config,
  { name, source }: Pick<Candidate, 'name' | 'source'>,
): boolean => source === BUILT_IN || values.plugins[name]!.required

/** Begins a selection in which nothing is left out. */
export function createSelection(config: Config): Selection {
  const { plugins: settings } = config.values
  const absent: Absent[] = []
  const leaveOut: Selection['leaveOut'] = (candidate, fault, reason = fault.message) => {
    if (isRequired(config, candidate)) throw fault
    absent.push({ ...candidate, reason, failed: true })
  }
  return {
    absent,
    leaveOut,
    admits(candidate) {
      const isOn = settings[candidate.name]!.enabled
      if (!isOn) absent.push({ ...candidate, reason: SWITCHED_OFF, failed: false })
      return isOn
    },
    admitsDependencies(candidate) {
      const missing = absent.find(({ name }) => candidate.depends.includes(name))
      if (!missing) return true
      const reason = `needs ${missing.name}, which ${missing.failed ? 'failed' : 'is off'}`
      if (missing.failed) leaveOut(candidate, new ConfigError(`plugin "${candidate.name}" ${reason}`), reason)
      else absent.push({ ...candidate, reason, failed: false })
      return false
    },
    leaveOutUnloaded(candidate, cause) {
      const reason = `failed to load: ${cause.message}`
      const fault = new ConfigError(`plugin "${candidate.name}" (${candidate.source}) ${reason}`, { cause })
      leaveOut(candidate, fault, reason)
    },
  }
}
