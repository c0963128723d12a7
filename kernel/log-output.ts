import { constants, fstatSync, openSync, write, writeSync } from 'node:fs'

/** A destination of log lines that never blocks the process and never ends it. */
export type LogOutput = ReturnType<typeof createLogOutput>

/** Bytes of lines that may wait to be written. */
const MAX_WAITING = 1024 * 1024
const MAX_CHUNK = 64 * 1024
const RETRY_MS = 200

/**
 * Creates the output to a file descriptor. Lines are written one after the other by the thread pool. While the
 * destination refuses them, e.g. because its disk is full or its reader sleeps, they wait, up to a limit; more of them
 * are dropped and counted, which the next line that can be written says.
 */
export function createLogOutput(descriptor: number) {
  const fd = withoutBlocking(descriptor)
  let waiting: string[] = []
  let waitingBytes = 0
  /** The chunk that is being written, or is to be written again. */
  let unwritten: Buffer = Buffer.alloc(0)
  let isWriting = false
  let isGone = false
  let dropped = 0
  let unreportedCount = 0

  const drop = (lines: number) => {
    dropped += lines
    unreportedCount += lines
  }

  const takeChunk = () => {
    if (unwritten.length > 0 || waiting.length === 0) return
    let bytes = 0
    const count = waiting.findIndex((line) => {
      bytes += Buffer.byteLength(line)
      return bytes > MAX_CHUNK
    })
    const written = waiting.splice(0, count < 0 ? waiting.length : Math.max(1, count))
    unwritten = Buffer.from(written.join(''))
    waitingBytes -= unwritten.length
    if (unreportedCount === 0) return
    const report = {
      level: 40,
      time: Date.now(),
      dropped: unreportedCount,
      msg: 'lines of the log were dropped',
    }
    unwritten = Buffer.concat([Buffer.from(`${JSON.stringify(report)}\n`), unwritten])
    unreportedCount = 0
  }

  const writeOn = () => {
    takeChunk()
    if (isWriting || isGone || unwritten.length === 0) return
    isWriting = true
    write(fd, unwritten, (error, written) => {
      isWriting = false
      if (!error) {
        unwritten = unwritten.subarray(written)
        writeOn()
      } else if (error.code === 'EPIPE') {
        // Its reader has ended, so nothing can be written any more.
        isGone = true
        drop(waiting.length + 1)
        waiting = []
      } else setTimeout(writeOn, RETRY_MS).unref()
    })
  }

  process.once('exit', () => {
    // A write that is under way may be blocked, as another would be.
    if (isWriting || isGone) return
    try {
      for (takeChunk(); unwritten.length > 0; takeChunk())
        unwritten = unwritten.subarray(writeSync(fd, unwritten))
    } catch {
      // The process ends, and the error has no other place to go.
    }
  })

  return {
    write(line: string): void {
      const size = Buffer.byteLength(line)
      if (isGone || waitingBytes + size > MAX_WAITING) {
        drop(1)
        return
      }
      waiting.push(line)
      waitingBytes += size
      writeOn()
    },
    /** The number of lines that could not be written, because the destination failed or was too slow. */
    get dropped(): number {
      return dropped
    },
  }
}

/**
 * Reopens the pipe non-blocking; other owners of the descriptor need it blocking. A pipe of another user, such as that of
 * `runuser`, cannot be reopened and stays as it is. Its state is read as bigints: Node.js keeps the last one read as
 * numbers, and as long as that is a pipe's, `import` no longer resolves symbolic links.
 */
function withoutBlocking(fd: number): number {
  if (process.platform !== 'linux' || !fstatSync(fd, { bigint: true }).isFIFO()) return fd
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK)
  } catch {
    return fd
  }
}
