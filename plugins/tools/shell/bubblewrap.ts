import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** The time limit of the trial program. */
const TRIAL_MS = 10_000

/** The restrictions of every program. */
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

/** Added for programs without network: they have a loopback device of their own and nothing else. */
const NO_NETWORK = '--unshare-net'

/** A bubblewrap that works. */
export interface WorkingBubblewrap {
  /** Returns the command, with its first arguments, that runs another one which sees `view`. */
  enclose(view: readonly string[], network: boolean): string[]
  /** The path of prlimit, which sets the limits of a process. */
  prlimit: string
}

/** A working bubblewrap, or the reason why there is none. */
export type Bubblewrap = WorkingBubblewrap | { reason: string }

/**
 * Looks for `bwrap` and `prlimit` on the server's own PATH and has them run a program that sees `view`, without network
 * unless programs have it.
 */
export async function findBubblewrap(
  view: readonly string[],
  { env, network }: { env: Record<string, string>; network: boolean },
): Promise<Bubblewrap> {
  const path = await findProgram('bwrap')
  if (path === undefined) return { reason: 'bubblewrap is not installed: there is no bwrap on the PATH' }
  const prlimit = await findProgram('prlimit')
  if (prlimit === undefined) return { reason: 'util-linux is not installed: there is no prlimit on the PATH' }
  const hasSizes = await run(path, ['--size', '1', '--version'], { env }).then(
    () => true,
    () => false,
  )
  let reason = ''
  for (const way of listStartOptions()) {
    const enclose: WorkingBubblewrap['enclose'] = (args, hasNetwork) => [
      ...[path, ...way, ...ISOLATION, ...(hasNetwork ? [] : [NO_NETWORK])],
      // Before version 0.7 the size of a folder in memory cannot be limited; what is in it is watched nevertheless.
      ...(hasSizes ? args : args.filter((arg, index) => arg !== '--size' && args[index - 1] !== '--size')),
    ]
    try {
      const [, ...trial] = enclose(view, network)
      await run(path, [...trial, '--', prlimit, 'true'], { env, timeout: TRIAL_MS })
      return { enclose, prlimit }
    } catch (error) {
      const { stderr, message } = error as { stderr?: string; message: string }
      reason = explain(stderr?.trim().split('\n').at(-1) || message)
    }
  }
  return { reason }
}

const run = promisify(execFile)

/** Adds the usual cause to a message of bubblewrap that names none. */
const explain = (message: string): string =>
  /uid map|new namespace|clone|unshare|RTM_NEWADDR/.test(message)
    ? `${message} (this system or container forbids user namespaces)`
    : message

async function findProgram(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, name)
    try {
      await access(path, constants.X_OK)
      return await realpath(path)
    } catch {
      // The next folder may have it.
    }
  }
  return undefined
}
