import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** How long a group may take to end after it was asked to, in milliseconds. */
const TERM_MS = 2000
/** How long the system may take to end what was killed. */
const KILL_MS = 1000
const POLL_MS = 20

/** A process that leads a group of its own, and all that it started and that did not leave the group. */
export interface ProcessGroup {
  /** True if the system itself ends the members as soon as their leader has ended. */
  endsWithLeader: boolean
  /** Sends a signal to every member; does nothing where there is none any more. */
  kill(signal: NodeJS.Signals): void
  /** Whether any member runs. */
  lives(): Promise<boolean>
  /** Asks the members to end, kills them after two seconds or as soon as `hurry` is aborted, and waits for it. */
  end(hurry: AbortSignal): Promise<void>
}

/** Makes the handle of the group that a process leads. */
export function createProcessGroup(leader: number): ProcessGroup {
  const send = (signal: NodeJS.Signals | 0) => sendTo(-leader, signal)
  // Signals also reach members that have ended and that nobody has taken notice of yet.
  const lives = async () => send(0) && (await hasRunningMember(leader))
  return { endsWithLeader: false, lives, kill: send, end: createEnd({ kill: send, lives }) }
}

/**
 * Makes the handle of a whole namespace of processes. `init`, its first one, leads a group as well; it heeds no signal but
 * SIGKILL, by which the system ends all others. `maySend` is asked before each signal, as the pid may become another's.
 */
export function createNamespaceGroup(
  init: number,
  maySend: (signal: NodeJS.Signals) => boolean,
): ProcessGroup {
  const kill = (signal: NodeJS.Signals) => {
    if (maySend(signal)) sendTo(signal === 'SIGKILL' ? init : -init, signal)
  }
  const lives = () => isRunning(init)
  return { endsWithLeader: true, lives, kill, end: createEnd({ kill, lives }) }
}

const createEnd =
  ({ kill, lives }: Pick<ProcessGroup, 'kill' | 'lives'>): ProcessGroup['end'] =>
  async (hurry) => {
    const asked = performance.now()
    kill('SIGTERM')
    while (await lives()) {
      const waited = performance.now() - asked
      if (waited > TERM_MS + KILL_MS) return
      if (hurry.aborted || waited > TERM_MS) kill('SIGKILL')
      await pause(POLL_MS)
    }
  }

/** Sends a signal to a process, or to a group by its number below zero; false where there is none. */
function sendTo(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Members that took the rights of another user may not be signalled, but are there.
    if (code === 'EPERM') return true
    if (code === 'ESRCH') return false
    throw error
  }
}

/**
 * Whether the system's table of processes has a running one of this group. Where it cannot be read there may be one:
 * whoever asks will ask again, and kill it in the end.
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
    // The program's name, in brackets, may hold anything; behind it stand state, parent and group.
    const [state, , member] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (group === undefined || Number(member) === group) && state !== 'Z' && state !== 'X'
  } catch (error) {
    // It has gone, or is hidden as another user's.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code!)) return false
    throw error
  }
}
