import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createOutput } from './output.ts'
import { createProcessGroup } from './process-group.ts'

/** How much a program may write before it is ended, in bytes. */
export const MAX_WRITTEN_BYTES = 16 * 1024 * 1024
/** How long what a program started may take to end by itself once the program has ended, in milliseconds. */
const GRACE_MS = 100

/** A program to run; `file` is looked up in the PATH of `env` unless it is a path. */
export interface ProgramOrder {
  file: string
  args: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  stdin?: string
  seconds: number
}

/** How a program ended: with an exit code or by a signal, and why it had to end where it did not by itself. */
export interface ProgramEnd {
  output: string
  code: number | null
  signal: NodeJS.Signals | null
  reason?: 'time' | 'output'
  /** Whether processes that it had started went on without it; they were ended. */
  left_behind: boolean
}

/**
 * Runs a program in a process group of its own, of which nothing is left when this settles. An aborted signal kills
 * the group at once and rejects with its reason; a program that cannot be started rejects with the system's error.
 */
export async function runProgram(
  { file, args, cwd, env, stdin, seconds }: ProgramOrder,
  signal: AbortSignal,
): Promise<ProgramEnd> {
  signal.throwIfAborted()
  const child = spawn(file, args, {
    cwd,
    env,
    detached: true,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  if (child.pid === undefined) await exited
  const closed = new Promise((resolve) => child.once('close', resolve))

  const group = createProcessGroup(child.pid!)
  let ending: Promise<void> | undefined
  let reason: ProgramEnd['reason']
  const end = (why: ProgramEnd['reason']) => {
    reason ??= why
    ending ??= group.end(signal)
  }
  const kill = () => group.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  const timer = setTimeout(() => end('time'), seconds * 1000)
  const readOutput = collectOutput(child, () => end('output'))
  feed(child, stdin)

  const [code, by] = await exited
  clearTimeout(timer)
  await Promise.race([closed, pause(GRACE_MS)])
  const left_behind = ending === undefined && (await group.lives())
  if (left_behind) ending = group.end(signal)
  await ending
  signal.removeEventListener('abort', kill)
  // Whoever left the group may hold the pipes open for as long as it likes.
  await Promise.race([closed, pause(GRACE_MS)])
  child.stdout!.destroy()
  child.stderr!.destroy()
  signal.throwIfAborted()
  return { output: readOutput(), code, signal: by, reason, left_behind }
}

/** Takes down what a program writes, up to the limit; gives what reads it. */
function collectOutput(child: ChildProcess, onTooMuch: () => void): () => string {
  const output = createOutput()
  let room = MAX_WRITTEN_BYTES
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream]!.on('data', (chunk: Buffer) => {
      if (room > 0) output.write(stream, chunk)
      room -= chunk.length
      if (room <= 0) onTooMuch()
    })
  return output.text
}

/** Gives a program what it may read from its standard input. */
function feed({ stdin }: ChildProcess, text: string | undefined): void {
  // A program may end or close its input before it has read all of it, which is its own affair.
  stdin?.on('error', () => undefined)
  stdin?.end(text)
}
