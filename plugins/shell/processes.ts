import { delimiter, dirname } from 'node:path'
import type { Sandbox } from './sandbox.ts'
import { type ProcessOrder, type StartedProcess, startProcess } from './start-process.ts'

/** What plugins need that start programs for agents. */
export interface Processes {
  /**
   * The PATH in which programs are looked for. The server's own PATH may name folders of its user that are nobody else's business;
   * the folder of the running node comes last, as node and npm are what agents may count on wherever it was installed.
   */
  path: string
  /** Starts a process, in the sandbox where there is one. Rejects with the system's error where that cannot be. */
  start(order: ProcessOrder): Promise<StartedProcess>
  /** Why the system did not start a program, as the rest of a sentence about it. */
  refusalOf(error: NodeJS.ErrnoException): string
}

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

/** The same for all that start programs. */
export const PROCESS_PATH = [
  ...new Set(['/usr/local/bin', '/usr/bin', '/bin', dirname(process.execPath)]),
].join(delimiter)

/** Makes the service. */
export const createProcesses = ({ sandbox }: { sandbox: Sandbox }): Processes => ({
  path: PROCESS_PATH,
  start: (order) => startProcess(order, sandbox),
  refusalOf: ({ code, message }) => REASONS[code ?? ''] ?? `could not be started (${code ?? message})`,
})
