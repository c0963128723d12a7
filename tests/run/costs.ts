import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The costs of running a file; processor times in milliseconds. */
export interface Costs {
  /** Of the process that runs the tests. */
  own: number
  /** Of database engines: counted, as other processes are, only in a profiled run. */
  engine: number
  /** Of all other processes that were started. */
  children: number
  servers: number
  engines: number
  commands: number
}

/** A process that a test started, as it reports about itself. */
export interface ProcessReport {
  pid: number
  kind: 'engine' | 'command' | 'server' | 'other'
  /** Processor time, in milliseconds. */
  cpu: number
}

/** Starts that the tests made in their own process. */
export const started = { servers: 0, commands: 0 }

const TICK_MS = 10

/** The processor time of a running process as Linux tells it, in milliseconds; undefined if there is none. */
export function processorTime(pid: number | 'self', of: 'itself' | 'ended children' = 'itself') {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system] = of === 'itself' ? [11, 12] : [13, 14]
    return (Number(fields[user]) + Number(fields[system])) * TICK_MS
  } catch {
    // The process has ended, or the system has no such files.
    return undefined
  }
}

/** Measures from now on. `reports` is the folder in which this process's children report, if they do. */
export function createMeter(reports: string | undefined): { take(): Costs } {
  const before = read()

  function read(): Costs {
    const { user, system } = process.cpuUsage()
    const costs: Costs = { own: (user + system) / 1000, engine: 0, children: 0, engines: 0, ...started }
    if (reports === undefined) return costs
    for (const name of readdirSync(reports).filter((name) => name.endsWith('.json'))) {
      const { pid, kind, cpu }: ProcessReport = JSON.parse(readFileSync(join(reports, name), 'utf8'))
      if (pid === process.pid) continue
      costs[kind === 'engine' ? 'engine' : 'children'] += processorTime(pid) ?? cpu
      if (kind === 'engine') costs.engines++
      if (kind === 'server') costs.servers++
      if (kind === 'command') costs.commands++
    }
    return costs
  }

  return {
    take() {
      const now = read()
      const names = Object.keys(now) as (keyof Costs)[]
      return Object.fromEntries(names.map((name) => [name, now[name] - before[name]])) as unknown as Costs
    },
  }
}
