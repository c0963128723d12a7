import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** The time limit of the trial program. */
const TRIAL_MS = 10_000

/**
 * The restrictions of every program; the network is the machine's. Bubblewrap binds the sandbox to the server just
 * after it has forked the program: one that starts at the very moment when the server is killed may survive it.
 */
const ISOLATION = [
  '--unshare-pid',
  '--unshare-ipc',
  '--cap-drop',
  'ALL',
  '--die-with-parent',
  '--new-session',
]

/** Lists the arguments to try for creating namespaces; a root user without the rights needs a user namespace. */
const listStartOptions = () => (process.getuid?.() === 0 ? [[], ['--unshare-user']] : [[]])

/** The path and first arguments of a working bubblewrap, or the reason why there is none. */
export type Bubblewrap = { command: string[] } | { reason: string }

/** Looks for `bwrap` on the server's own PATH and has it run a program that sees `view`. */
export async function findBubblewrap(
  view: readonly string[],
  env: Record<string, string>,
): Promise<Bubblewrap> {
  const path = await findProgram('bwrap')
  if (path === undefined) return { reason: 'bubblewrap is not installed: there is no bwrap on the PATH' }
  let reason = ''
  for (const way of listStartOptions()) {
    const command = [path, ...way, ...ISOLATION]
    try {
      await promisify(execFile)(path, [...way, ...ISOLATION, ...view, '--', 'true'], {
        env,
        timeout: TRIAL_MS,
      })
      return { command }
    } catch (error) {
      const { stderr, message } = error as { stderr?: string; message: string }
      reason = stderr?.trim().split('\n').at(-1) || message
    }
  }
  return { reason }
}

async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, name)
    try {
      await access(path, constants.X_OK)
      return path
    } catch {
      // The next folder may have it.
    }
  }
  return undefined
}
