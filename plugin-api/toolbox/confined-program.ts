import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** The program that performs the tasks, by the name of the compiled file. */
const MAIN = fileURLToPath(new URL('./confined-main.js', import.meta.url))
const SHELL = '/bin/sh'
/**
 * The data that the system allows, relative to the resident memory at which a program ends itself: more, because the
 * system's limit only fails an allocation, which a library may take for damage.
 */
const DATA_FACTOR = 2
/** The processor time that the system allows, relative to the longest time of a task. */
const PROCESSOR_FACTOR = 6
/** The longest answer, so that parsing it does not keep the server from its other work. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
/** The end of what a program wrote to its standard error that is kept. */
const MAX_MESSAGE_CHARS = 2000
/** The ways in which V8 and the system end a program that wants more memory; it also kills itself. */
const OUT_OF_MEMORY = new Set<unknown>(['SIGKILL', 'SIGABRT', 'SIGTRAP', 'SIGILL'])

/** The bounds of a confined program. */
export interface Confinement {
  /** The most resident memory, of which a quarter is for data outside of the heap. */
  memory_mib: number
  /** The longest time of a task. */
  max_ms: number
}

/** The reasons for which a confined program was ended. */
export type ConfinedEnd = 'memory' | 'time' | 'crash'

/** Thrown if a confined program ended before it had answered. */
export class ConfinementError extends Error {
  readonly reason: ConfinedEnd

  constructor(reason: ConfinedEnd, message = '') {
    super(`a confined program ended: ${reason} ${message}`.trim())
    this.reason = reason
  }
}

/** A process that works on what strangers sent, with bounds that the operating system enforces. */
export interface ConfinedProgram {
  /**
   * Sends a task and yields its answers until the caller stops. Throws a ConfinementError, e.g. if they take more than
   * `time_ms`; while the caller is busy, no time passes.
   */
  ask(task: object, time_ms: number, signal: AbortSignal): AsyncGenerator<unknown, never>
  /** False once the process has ended, e.g. because the system needed its memory. */
  isRunning(): boolean
  /** Kills the process; resolves when it is gone. */
  end(): Promise<void>
}

/**
 * Starts a process without environment that performs tasks with a module: each value that its function `perform(task)`
 * yields is an answer. The process ends with this one, however this one ends.
 */
export function startConfinedProgram(module: URL, { memory_mib, max_ms }: Confinement): ConfinedProgram {
  const program = [process.execPath, MAIN, module.href, String(memory_mib)]
  const [file, ...args] = existsSync(SHELL)
    ? [SHELL, '-c', limit({ memory_mib, max_ms }), SHELL, ...program]
    : program
  const child = spawn(file!, args, { cwd: '/', env: {}, stdio: 'pipe' })
  const { stdin, stdout, stderr } = child
  let isRunning = true
  const ended = follow(child).finally(() => {
    isRunning = false
  })
  let messages = ''
  stderr.setEncoding('utf8').on('data', (text) => {
    messages = (messages + text).slice(-MAX_MESSAGE_CHARS)
  })
  // A program that has ended takes no tasks; `ended` has the reason.
  stdin.on('error', () => undefined)
  const lines = readLines(stdout)
  let hasStarted = false

  /** Returns the reason for which the program ended by itself. */
  const explain = async (): Promise<Error> => {
    const { signal, cause } = await ended
    if (!hasStarted) return new Error(`a confined program did not start: ${messages}`, { cause })
    if (signal === 'SIGXCPU') return new ConfinementError('time')
    return new ConfinementError(OUT_OF_MEMORY.has(signal) ? 'memory' : 'crash', messages)
  }

  /** Returns the next answer; kills the program if it does not come in time. */
  const receive = async (remaining_ms: number, signal: AbortSignal): Promise<unknown> => {
    signal.throwIfAborted()
    let reason: unknown
    const stop = (error: unknown) => {
      reason ??= error
      child.kill('SIGKILL')
    }
    const onAbort = () => stop(signal.reason)
    const timer = setTimeout(() => stop(new ConfinementError('time')), remaining_ms)
    signal.addEventListener('abort', onAbort)
    try {
      const line = await lines.next()
      if (reason) throw reason
      if (line.done) throw await explain()
      return JSON.parse(line.value)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  return {
    async *ask(task, time_ms, signal) {
      stdin.write(`${JSON.stringify(task)}\n`)
      let remaining_ms = time_ms
      for (;;) {
        const startedAt = performance.now()
        const answer = await receive(remaining_ms, signal)
        remaining_ms -= performance.now() - startedAt
        if (hasStarted) yield answer
        // The first line says that the program runs.
        else hasStarted = true
      }
    },

    isRunning: () => isRunning,

    async end() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Returns a script that starts its arguments within the limits that the system has. */
function limit({ memory_mib, max_ms }: Confinement): string {
  const data_kib = Math.ceil(memory_mib * DATA_FACTOR * 1024 + countReservedBytes() / 1024)
  const seconds = Math.ceil((max_ms * PROCESSOR_FACTOR) / 1000) + 1
  const steps = [
    'ulimit -c 0',
    `ulimit -d ${data_kib}`,
    `ulimit -S -t ${seconds}`,
    // Without memory, the system ends this program rather than the server.
    'echo 1000 >/proc/self/oom_score_adj',
  ]
  return `{ ${steps.map((step) => `${step} || :; `).join('')}} 2>/dev/null; exec "$@"`
}

/** Returns the bytes that V8 reserves for machine code, which the system counts as data although they are not used. */
function countReservedBytes(): number {
  let maps: string
  try {
    maps = readFileSync('/proc/self/maps', 'latin1')
  } catch {
    // Another system, which does not count them.
    return 0
  }
  const ranges = [...maps.matchAll(/^([\da-f]+)-([\da-f]+) rwxp/gm)]
  return ranges.reduce(
    (sum, [, start, end]) => sum + Number.parseInt(end!, 16) - Number.parseInt(start!, 16),
    0,
  )
}

/** Resolves when a process has ended, or could not be started. */
const follow = (child: ChildProcess) =>
  new Promise<{ signal?: NodeJS.Signals | null; cause?: Error }>((resolve) => {
    child.once('error', (cause) => resolve({ cause })).once('exit', (_, signal) => resolve({ signal }))
  })

async function* readLines(stream: Readable): AsyncGenerator<string, undefined> {
  let parts: Buffer[] = []
  let length = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let start = 0
    for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
      yield Buffer.concat([...parts, chunk.subarray(start, end)]).toString()
      parts = []
      length = 0
      start = end + 1
    }
    parts.push(chunk.subarray(start))
    length += chunk.length - start
    if (length > MAX_ANSWER_BYTES) throw new ConfinementError('memory', 'an answer was too long')
  }
}
