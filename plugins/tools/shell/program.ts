import { setTimeout as pause } from 'node:timers/promises'
import { createOutput } from './output.ts'
import type { Processes } from './processes.ts'
import type { ProcessEnd, ProcessOrder, StartedProcess } from './start-process.ts'

/** The output after which a program is ended. */
export const MAX_WRITTEN_BYTES = 16 * 1024 * 1024
/** The time in which processes that a program started should end by themselves after the program. */
const GRACE_MS = 100

/** A program to run. */
export interface ProgramOrder extends Omit<ProcessOrder, 'hasInput' | 'runsOn'> {
  stdin?: string
  seconds: number
}

/** The end of a program, and the reason if it did not end by itself. */
export interface ProgramEnd extends ProcessEnd {
  output: string
  reason?: 'time' | 'output'
  /**
   * True if processes that it had started outlived it and were ended. Always false in a sandbox, which ends with it.
   */
  left_behind: boolean
  /** Likely reasons for a failure, such as a path that the sandbox does not show, or a limit. */
  hints: string[]
}

/**
 * Runs a program in a process group of its own, all of which has ended when this settles. An aborted signal kills the
 * group at once and rejects with its reason; a program that cannot be started rejects with the system's error.
 */
export async function runProgram(
  { stdin, seconds, ...order }: ProgramOrder,
  { signal, start }: { signal: AbortSignal; start: Processes['start'] },
): Promise<ProgramEnd> {
  signal.throwIfAborted()
  const started = await start({ ...order, hasInput: stdin !== undefined, runsOn: false })
  const { group, ended, closed, stdout, stderr, explainFailure } = started
  let ending: Promise<void> | undefined
  let reason: ProgramEnd['reason']
  const end = (why: ProgramEnd['reason']) => {
    reason ??= why
    ending ??= group.end(signal)
  }
  const kill = () => group.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  if (signal.aborted) kill()
  const timer = setTimeout(() => end('time'), seconds * 1000)
  const readOutput = collectOutput(started, () => end('output'))
  feed(started, stdin)
  try {
    const how = await ended
    clearTimeout(timer)
    await Promise.race([closed, pause(GRACE_MS)])
    const hasMembers = ending === undefined && (await group.isRunning())
    if (hasMembers) ending = group.end(signal)
    await ending
    // A process that left the group may keep the pipes open.
    await Promise.race([closed, pause(GRACE_MS)])
    signal.throwIfAborted()
    const left_behind = hasMembers && !group.endsWithLeader
    const output = readOutput()
    const hints = how.code === 0 || reason || how.excess ? [] : await explainFailure(how, output)
    return { ...how, output, reason, left_behind, hints }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
    stdout.destroy()
    stderr.destroy()
  }
}

/** Collects the output of a program up to the limit; returns the function that reads it. */
function collectOutput(streams: StartedProcess, onTooMuch: () => void): () => string {
  const output = createOutput()
  let room = MAX_WRITTEN_BYTES
  for (const stream of ['stdout', 'stderr'] as const)
    streams[stream].on('data', (chunk: Buffer) => {
      if (room > 0) output.write(stream, chunk)
      room -= chunk.length
      if (room <= 0) onTooMuch()
    })
  return output.text
}

/** Writes the text to the standard input of a program. */
function feed({ stdin }: StartedProcess, text: string | undefined): void {
  // A program may end or close its input before it has read all of it.
  stdin?.on('error', () => undefined)
  stdin?.end(text)
}
