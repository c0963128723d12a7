import { randomUUID } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process as others on its database know it. */
export interface ProcessIdentity {
  /** The machine and, on Linux, its namespace of process ids: containers may have the name of their host. */
  machine: string
  pid: number
  /** Differs from that of an earlier process with the same pid. */
  launch: string
}

/** The identity of this process. */
export const thisProcess: ProcessIdentity = {
  machine: `${hostname()} ${readNamespace()}`.trimEnd(),
  pid: process.pid,
  launch: randomUUID(),
}

/** True if a process of this machine has ended; false if it runs, or if only its machine can know. */
export function hasEnded({ machine, pid, launch }: ProcessIdentity): boolean {
  if (machine !== thisProcess.machine) return false
  return pid === thisProcess.pid ? launch !== thisProcess.launch : !isRunning(pid)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // Other systems have no such file.
    return ''
  }
}
