import { delimiter, dirname } from 'node:path'
import { HIDDEN } from './hidden-paths.ts'
import type { Sandbox } from './sandbox.ts'
import { type ProcessOrder, type StartedProcess, startProcess } from './start-process.ts'

/** The service for plugins that start programs for agents. */
export type Processes = ReturnType<typeof createProcesses>

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

/** Creates the service. */
export const createProcesses = ({ sandbox }: { sandbox: Sandbox }) => ({
  /**
   * The PATH for programs. It differs from the server's own PATH, which may name private folders of its user. The folder
   * of the running node comes last, so that agents always find node and npm.
   */
  path: PROCESS_PATH,
  /** Starts a process, in the sandbox if there is one. Rejects with the system's error if it cannot be started. */
  start: (order: ProcessOrder): Promise<StartedProcess> => startProcess(order, sandbox),
  /** Explains why the system did not start a program, as the predicate of a sentence about it. */
  explainRefusal: ({ code, message }: NodeJS.ErrnoException): string =>
    code === HIDDEN
      ? `cannot be run: ${message}`
      : (REASONS[code ?? ''] ?? `could not be started (${code ?? message})`),
})
