import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** The time in which a group should end after SIGTERM, before it is killed. */
const TERM_MS = 2000
/** The time in which the system should end killed processes. */
const KILL_MS = 1000
const POLL_MS = 20

/** A process that leads a group, with all processes that it started and that did not leave the group. */
export interface ProcessGroup {
  /** True if the system itself ends the members as soon as their leader has ended. */
  endsWithLeader: boolean
  /** Sends a signal to every member, if there are any. */
  kill(signal: NodeJS.Signals): void
  /** True if any member runs. */
  isRunning(): Promise<boolean>
  /** Asks the members to end, kills them after two seconds or when `hurry` is aborted, and waits for their end. */
  end(hurry: AbortSignal): Promise<void>
}

/** Creates the handle of the group that a process leads. */
export function createProcessGroup(leader: number): ProcessGroup {
  const send = (signal: NodeJS.Signals | 0) => sendTo(-leader, signal)
  // Signals also reach zombies, so the table of processes is checked as well.
  const isGroupRunning = async () => send(0) && (await hasRunningMember(leader))
  return {
    endsWithLeader: false,
    isRunning: isGroupRunning,
    kill: send,
    end: createEnd({ kill: send, isRunning: isGroupRunning }),
  }
}

/**
 * Creates the handle of a whole namespace of processes. Its first process, `init`, leads a group too; it ignores all
 * signals but SIGKILL, upon which the system ends all others. `maySend` is called before each signal, as the pid may be
 * reused.
 */
export function createNamespaceGroup(
  init: number,
  maySend: (signal: NodeJS.Signals) => boolean,
): ProcessGroup {
  const kill = (signal: NodeJS.Signals) => {
    if (maySend(signal)) sendTo(signal === 'SIGKILL' ? init : -init, signal)
  }
  const isNamespaceRunning = () => isRunning(init)
  return {
    endsWithLeader: true,
    isRunning: isNamespaceRunning,
    kill,
    end: createEnd({ kill, isRunning: isNamespaceRunning }),
  }
}

const createEnd =
  ({ kill, isRunning }: Pick<ProcessGroup, 'kill' | 'isRunning'>): ProcessGroup['end'] =>
  async (hurry) => {
    const startedAt = performance.now()
    kill('SIGTERM')
    while (await isRunning()) {
      const waited = performance.now() - startedAt
      if (waited > TERM_MS + KILL_MS) return
      if (hurry.aborted || waited > TERM_MS) kill('SIGKILL')
      await pause(POLL_MS)
    }
  }

/** Sends a signal to a process, or to a group by its negated number; returns false if it does not exist. */
function sendTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The member exists but runs as another user.
    if (code === 'EPERM') return true
    if (code === 'ESRCH') return false
    throw error
  }
}

/**
 * True if the system's table of processes has a running member of this group, or cannot be read: the caller asks again,
 * and kills the group in the end.
 */
async function hasRunningMember(group: number): Promise<boolean> {
  try {
    for (const name of await readdir('/proc'))
      if (/^\d+$/.test(name) && (await isRunning(Number(name), group))) return true
    return false
  } catch {
    return true
  }
}

/** True if a process runs, and in this group if one is given. */
async function isRunning(pid: number, group?: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    // The program's name, in parentheses, may hold anything; state, parent and group follow it.
    const [state, , member] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (group === undefined || Number(member) === group) && state !== 'Z' && state !== 'X'
  } catch (error) {
    // It has ended, or is hidden because it runs as another user.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code!)) return false
    throw error
  }
}
