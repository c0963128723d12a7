import { delimiter, dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { ToolContext } from '#plugin-api'
import { HIDDEN } from './hidden-paths.ts'
import type { Sandbox } from './sandbox.ts'
import { type ProcessOrder, type StartedProcess, startProcess } from './start-process.ts'

/** The service for plugins that start programs for agents. */
export type Processes = ReturnType<typeof createProcesses>

/** The time to wait for the end of its pipes once a program has ended, in milliseconds. */
const GRACE_MS = 100

const REASONS: Record<string, string> = {
  ENOENT: 'was not found, or the interpreter that it names was not',
  EACCES: 'may not be executed',
  EPERM: 'may not be executed',
  ENOTDIR: 'was not found',
  ENOEXEC: 'is not a program',
  E2BIG: 'was given arguments that are too long',
  ENAMETOOLONG: 'has a name that is too long',
  EAGAIN: 'could not be started: the system has too many processes',
  ENOMEM: 'could not be started: the system has too little memory',
}

/** The PATH of all programs that agents start. */
export const PROCESS_PATH = [
  ...new Set(['/usr/local/bin', '/usr/bin', '/bin', dirname(process.execPath)]),
].join(delimiter)

/** A program that other plugins speak to over its pipes. */
interface SpokenProgram {
  command: string
  args: readonly string[]
  env?: Readonly<Record<string, string>>
  /** The folder in which it runs, and which it may write. */
  home: string
  /** Other places that it may write. */
  folders?: readonly string[]
  area?: ToolContext['write_area']
}

/** Creates the service. */
export function createProcesses({ sandbox }: { sandbox: Sandbox }) {
  const start = (order: ProcessOrder): Promise<StartedProcess> => startProcess(order, sandbox)

  const explainRefusal = ({ code, message }: NodeJS.ErrnoException): string =>
    code === HIDDEN
      ? `cannot be run: ${message}`
      : (REASONS[code ?? ''] ?? `could not be started (${code ?? message})`)

  return {
    /**
     * The PATH for programs. It differs from the server's own PATH, which may name private folders of its user. The
     * folder of the running node comes last, so that agents always find node and npm.
     */
    path: PROCESS_PATH,

    /** Starts a process, in the sandbox if there is one. Rejects with the system's error if it cannot be started. */
    start,

    /** Explains why the system did not start a program, as the predicate of a sentence about it. */
    explainRefusal,

    /** Starts a program that is spoken to. Rejects, as does `ended`, with `toFailure` if the system cannot start it. */
    async speakTo(
      { command, args, env, home, folders = [], area = null }: SpokenProgram,
      toFailure: (words: string, options: ErrorOptions) => Error,
    ) {
      const refuse = (cause: unknown): never => {
        const reason = explainRefusal(cause as NodeJS.ErrnoException)
        throw toFailure(`${JSON.stringify(command)} ${reason}`, { cause })
      }
      const started = await start({
        file: command,
        args,
        // Not a workspace: files there could change which program runs, for example with npx.
        cwd: home,
        env: { PATH: PROCESS_PATH, HOME: home, LANG: 'C.UTF-8', ...env },
        hasInput: true,
        writable: { folders: [home, ...folders], area },
        network: sandbox.integrations_network,
        runsOn: true,
      }).catch(refuse)
      const { closed, group, stdout, stderr } = started
      const stdin = started.stdin!
      const streams = [stdin, stdout, stderr]
      // It may end or close its pipes before it has read everything; its output shows that it has ended.
      for (const stream of streams) stream.on('error', () => undefined)
      return {
        ...started,
        stdin,
        ended: started.ended.catch(refuse),

        /** Ends the program with all its children, at once if the signal is aborted, and waits until they are gone. */
        async end(hurry: AbortSignal): Promise<void> {
          const kill = () => group.kill('SIGKILL')
          if (hurry.aborted) kill()
          hurry.addEventListener('abort', kill)
          try {
            await group.end(hurry)
            // A process that left the group may hold the pipes open.
            await Promise.race([closed, pause(GRACE_MS)])
          } finally {
            hurry.removeEventListener('abort', kill)
            for (const stream of streams) stream.destroy()
          }
        },
      }
    },
  }
}
