import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import { PassThrough, type Readable, type Writable as WritableStream } from 'node:stream'
import { text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import { describeHidden, findHiddenArgument, findHiddenProgram, HIDDEN } from './hidden-paths.ts'
import { createNamespaceGroup, createProcessGroup, type ProcessGroup } from './process-group.ts'
import type { Sandbox } from './sandbox.ts'
import type { Look, Writable } from './sandbox-view.ts'

/** The last characters of bubblewrap's messages that are kept. */
const MAX_MESSAGE_CHARS = 4096
/** The descriptor on which bubblewrap reports its status. */
const STATUS_FD = 3

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
}

/** The end of a process: with an exit code or by a signal. */
export interface ProcessEnd {
  code: number | null
  signal: NodeJS.Signals | null
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
}

/** Starts a process, in the sandbox if there is one. Rejects with the system's error if it cannot be started. */
export async function startProcess(order: ProcessOrder, sandbox: Sandbox): Promise<StartedProcess> {
  const enclosure = await sandbox.enclose(order.writable)
  return enclosure ? startEnclosed(order, enclosure) : startPlain(order)
}

async function startPlain({ file, args, cwd, env, hasInput }: ProcessOrder): Promise<StartedProcess> {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: [...createStdio(hasInput)] }) as Child
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
  }
}

async function startEnclosed(
  { file, args, cwd, env, hasInput }: ProcessOrder,
  { command: [bwrap, ...setup], look }: { command: readonly string[]; look: Look },
): Promise<StartedProcess> {
  const hidden = await findHiddenProgram({ file, cwd, env }, look)
  if (hidden !== undefined)
    throw Object.assign(new Error(describeHidden(hidden)), { code: HIDDEN, syscall: 'spawn' })
  const child = spawn(
    bwrap!,
    [...setup, '--json-status-fd', String(STATUS_FD), '--chdir', cwd, '--', file, ...args],
    { cwd: '/', env, detached: true, stdio: [...createStdio(hasInput), 'pipe'] },
  ) as Child
  // Node.js drops the output that nobody reads yet when a program ends, which it may before its sandbox is reported.
  const stdout = child.stdout.pipe(new PassThrough())
  const stderr = child.stderr.pipe(new PassThrough())
  const { ended, closed: childClosed } = await follow(child)
  const closed = Promise.allSettled([childClosed, finished(stdout), finished(stderr)])
  const status = readStatus(child.stdio[STATUS_FD] as Readable)
  const init = await status.init
  if (init === undefined) {
    stdout.resume()
    throw parseRefusal(await text(stderr))
  }

  let hasEnded = false
  const sent = new Set<NodeJS.Signals>()
  const group = createNamespaceGroup(init, (signal) => {
    sent.add(signal)
    return !hasEnded
  })
  let messages = ''
  // Nothing is lost: the stream flows from the next turn of the event loop, when the caller listens too.
  stderr.on('data', (chunk) => {
    messages = (messages + chunk).slice(-MAX_MESSAGE_CHARS)
  })
  const endedInside = ended.then(async ({ code, signal }): Promise<ProcessEnd> => {
    hasEnded = true
    if (code === null) return { code, signal }
    if (await status.hasRun) return toEnd(code, sent)
    await closed
    throw parseRefusal(messages)
  })
  return {
    stdin: child.stdin,
    stdout,
    stderr,
    group,
    ended: endedInside,
    closed,
    findHiddenArgument: () => findHiddenArgument(args, look),
  }
}

type Child = ChildProcessByStdio<WritableStream | null, Readable, Readable>

const createStdio = (hasInput: boolean) => [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const

async function follow(child: ChildProcess): Promise<Pick<StartedProcess, 'ended' | 'closed'>> {
  const ended = once(child, 'exit').then(([code, signal]): ProcessEnd => ({ code, signal }))
  const closed = new Promise((resolve) => child.once('close', resolve))
  if (child.pid === undefined) await ended
  return { ended, closed }
}

/** Reads the pid of the first process in the sandbox, and at the end if the program itself was started. */
function readStatus(stream: Readable) {
  const lines = createInterface({ input: stream })
  let hasExitCode = false
  const init = new Promise<number | undefined>((resolve) => {
    lines.on('line', (line) => {
      const { 'child-pid': pid, 'exit-code': code } = JSON.parse(line)
      if (pid !== undefined) resolve(pid)
      if (code !== undefined) hasExitCode = true
    })
    lines.once('close', () => resolve(undefined))
  })
  const hasRun = once(lines, 'close').then(() => hasExitCode)
  return { init, hasRun }
}

/** Bubblewrap exits with 128 plus the signal that ended the program, but a program may also exit with such a code. */
function toEnd(code: number, sent: ReadonlySet<NodeJS.Signals>): ProcessEnd {
  const signal = [...sent].find((name) => constants.signals[name] === code - 128)
  return signal ? { code: null, signal } : { code, signal: null }
}

const CODES: Record<string, string> = {
  'Argument list too long': 'E2BIG',
  'Cannot allocate memory': 'ENOMEM',
  'Exec format error': 'ENOEXEC',
  'File name too long': 'ENAMETOOLONG',
  'No such file or directory': 'ENOENT',
  'Not a directory': 'ENOTDIR',
  'Operation not permitted': 'EPERM',
  'Permission denied': 'EACCES',
}

/** Converts the last message of bubblewrap to an error, if it has not started the program. */
function parseRefusal(said: string): Error {
  const reason = /bwrap: execvp .*: ([^:\n]+)\n?$/s.exec(said)?.[1]
  if (reason === undefined) return new Error(`the sandbox cannot be set up: ${said.trim()}`)
  return Object.assign(new Error(said.trim()), { code: CODES[reason] ?? reason, syscall: 'spawn' })
}
