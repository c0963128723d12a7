import type { Readable, Writable as WritableStream } from 'node:stream'
import { createStdio, follow, spawnWith } from './child-process.ts'
import { startEnclosed } from './enclosed-process.ts'
import { createProcessGroup, type ProcessGroup } from './process-group.ts'
import type { Sandbox } from './sandbox.ts'
import type { Writable } from './sandbox-view.ts'

/** A process to start; `file` is looked up in the PATH of `env` unless it is a path. */
export interface ProcessOrder {
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** True if it reads from `stdin`, which is empty otherwise. */
  hasInput: boolean
  /** The places that it may write in a sandbox. */
  writable: Writable
  /** True if it has the network of the server in a sandbox. */
  network: boolean
  /** True for a program that runs on between calls: what it writes in all its time is not limited. */
  runsOn: boolean
}

/** The end of a process: with an exit code or by a signal. */
export interface ProcessEnd {
  code: number | null
  signal: NodeJS.Signals | null
  /** The limit for which it was killed, as the end of a sentence. */
  excess?: string
}

/** A process that was started, outside or inside the sandbox; its streams flow once they have listeners. */
export interface StartedProcess {
  stdin: WritableStream | null
  stdout: Readable
  stderr: Readable
  group: ProcessGroup
  /** Settles when the process has ended; rejects with the system's error if the start failed inside the sandbox. */
  ended: Promise<ProcessEnd>
  /** Settles when no process can write to its output any more. */
  closed: Promise<unknown>
  /** Describes an argument that names a path that the sandbox does not show: a likely reason if the program fails. */
  findHiddenArgument(): Promise<string | undefined>
  /** Describes all likely reasons for the failure of a program that has ended so and written this. */
  explainFailure(end: ProcessEnd, output: string): Promise<string[]>
}

/** Starts a process, in the sandbox if there is one. Rejects with the system's error if it cannot be started. */
export async function startProcess(order: ProcessOrder, sandbox: Sandbox): Promise<StartedProcess> {
  const enclosure = await sandbox.enclose(order.writable, order)
  return enclosure ? startEnclosed(order, enclosure) : startPlain(order)
}

async function startPlain({ file, args, cwd, env, hasInput }: ProcessOrder): Promise<StartedProcess> {
  const child = spawnWith(file, args, { cwd, env }, createStdio(hasInput))
  const { ended, closed } = await follow(child)
  const { stdin, stdout, stderr } = child
  return {
    stdin,
    stdout,
    stderr,
    group: createProcessGroup(child.pid!),
    ended,
    closed,
    findHiddenArgument: async () => undefined,
    explainFailure: async () => [],
  }
}
