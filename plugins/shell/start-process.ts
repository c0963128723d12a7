import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { createInterface } from 'node:readline'
import type { Readable, Writable as WritableStream } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createNamespaceGroup, createProcessGroup, type ProcessGroup } from './process-group.ts'
import type { Sandbox } from './sandbox.ts'
import type { Writable } from './sandbox-view.ts'

/** The most characters that are kept of bubblewrap's last words. */
const LAST_WORDS = 4096
/** The descriptor on which bubblewrap tells how it is doing. */
const STATUS_FD = 3

/** A process to start; `file` is looked up in the PATH of `env` unless it is a path. */
export interface ProcessOrder {
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** True if it can read from `stdin`; otherwise that is empty. */
  hasInput: boolean
  /** The places that it may write in a sandbox. */
  writable: Writable
}

/** The end of a process: with an exit code or by a signal. */
export interface ProcessEnd {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A process that was started, outside or inside the sandbox; its streams flow once somebody listens. */
export interface StartedProcess {
  stdin: WritableStream | null
  stdout: Readable
  stderr: Readable
  group: ProcessGroup
  /** Settles when the process has ended; rejects with the system's error if it turns out that it could not be started. */
  ended: Promise<ProcessEnd>
  /** Settles when nobody can write to its output any more. */
  closed: Promise<unknown>
}

/** Starts a process, in the sandbox where there is one. Rejects with the system's error where that cannot be. */
export async function startProcess(order: ProcessOrder, sandbox: Sandbox): Promise<StartedProcess> {
  const enclosure = await sandbox.enclose(order.writable)
  return enclosure ? startEnclosed(order, enclosure) : startPlain(order)
}

async function startPlain({ file, args, cwd, env, hasInput }: ProcessOrder): Promise<StartedProcess> {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: [...stdioOf(hasInput)] }) as Child
  const { ended, closed } = await follow(child)
  const { stdin, stdout, stderr } = child
  return { stdin, stdout, stderr, group: createProcessGroup(child.pid!), ended, closed }
}

async function startEnclosed(
  { file, args, cwd, env, hasInput }: ProcessOrder,
  [bwrap, ...setup]: readonly string[],
): Promise<StartedProcess> {
  const child = spawn(
    bwrap!,
    [...setup, '--json-status-fd', String(STATUS_FD), '--chdir', cwd, '--', file, ...args],
    { cwd: '/', env, detached: true, stdio: [...stdioOf(hasInput), 'pipe'] },
  ) as Child
  const { ended, closed } = await follow(child)
  const { stdin, stdout, stderr } = child
  const status = readStatus(child.stdio[STATUS_FD] as Readable)
  const init = await status.init
  if (init === undefined) {
    stdout.resume()
    throw refusalIn(await text(stderr))
  }

  let hasEnded = false
  const sent = new Set<NodeJS.Signals>()
  const group = createNamespaceGroup(init, (signal) => {
    sent.add(signal)
    return !hasEnded
  })
  let said = ''
  // Nothing has been said yet: streams flow from the next turn of the loop, when whoever waits for this listens as well.
  stderr.on('data', (chunk) => {
    said = (said + chunk).slice(-LAST_WORDS)
  })
  const endedInside = ended.then(async ({ code, signal }): Promise<ProcessEnd> => {
    hasEnded = true
    if (code === null) return { code, signal }
    if (await status.hasRun) return endOf(code, sent)
    await closed
    throw refusalIn(said)
  })
  return { stdin, stdout, stderr, group, ended: endedInside, closed }
}

type Child = ChildProcessByStdio<WritableStream | null, Readable, Readable>

const stdioOf = (hasInput: boolean) => [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'] as const

async function follow(child: ChildProcess): Promise<Pick<StartedProcess, 'ended' | 'closed'>> {
  const ended = once(child, 'exit').then(([code, signal]): ProcessEnd => ({ code, signal }))
  const closed = new Promise((resolve) => child.once('close', resolve))
  if (child.pid === undefined) await ended
  return { ended, closed }
}

/** Reads the pid of the first process in the sandbox, and at the end whether the program itself was started. */
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

/** Bubblewrap ends with 128 and the number of the signal that ended the program, which may also end so by itself. */
function endOf(code: number, sent: ReadonlySet<NodeJS.Signals>): ProcessEnd {
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

/** The error for what bubblewrap said last, where it has not started the program. */
function refusalIn(said: string): Error {
  const reason = /bwrap: execvp .*: ([^:\n]+)\n?$/s.exec(said)?.[1]
  if (reason === undefined) return new Error(`the sandbox cannot be set up: ${said.trim()}`)
  return Object.assign(new Error(said.trim()), { code: CODES[reason] ?? reason, syscall: 'spawn' })
}
