import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

/** How long a group may take to end after it was asked to, in milliseconds. */
const TERM_MS = 2000
/** How long the system may take to end what was killed. */
const KILL_MS = 1000
const POLL_MS = 20

/** A process that leads a group of its own, and all that it started and that did not leave the group. */
export interface ProcessGroup {
  /** Sends a signal to every member; does nothing where there is none any more. */
  kill(signal: NodeJS.Signals): void
  /** Whether any member runs. */
  lives(): Promise<boolean>
  /** Asks the members to end, kills them after two seconds or as soon as `hurry` is aborted, and waits for it. */
  end(hurry: AbortSignal): Promise<void>
}

/** Makes the handle of the group that a process leads. */
export function createProcessGroup(leader: number): ProcessGroup {
  const send = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(-leader, signal)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Members that took the rights of another user may not be signalled, but are there.
      if (code === 'EPERM') return true
      if (code === 'ESRCH') return false
      throw error
    }
  }
  // Signals also reach members that have ended and that nobody has taken notice of yet.
  const lives = async () => send(0) && (await hasRunningMember(leader))

  return {
    kill: (signal) => void send(signal),
    lives,
    async end(hurry) {
      const asked = performance.now()
      send('SIGTERM')
      while (await lives()) {
        const waited = performance.now() - asked
        if (waited > TERM_MS + KILL_MS) return
        if (hurry.aborted || waited > TERM_MS) send('SIGKILL')
        await pause(POLL_MS)
      }
    },
  }
}

/**
 * Whether the system's table of processes has a running one of this group. Where it cannot be read there may be one:
 * whoever asks will ask again, and kill it in the end.
 */
async function hasRunningMember(group: number): Promise<boolean> {
  try {
    for (const name of await readdir('/proc'))
      if (/^\d+$/.test(name) && (await isRunningMember(`/proc/${name}/stat`, group))) return true
    return false
  } catch {
    return true
  }
}

async function isRunningMember(path: string, group: number): Promise<boolean> {
  try {
    const stat = await readFile(path, 'latin1')
    // The program's name, in brackets, may hold anything; behind it stand state, parent and group.
    const [state, , member] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(member) === group && state !== 'Z' && state !== 'X'
  } catch (error) {
    // It has gone, or is hidden as another user's.
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code!)) return false
    throw error
  }
}
