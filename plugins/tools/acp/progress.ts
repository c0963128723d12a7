/** The least time between two pieces of progress. */
const INTERVAL_MS = 250
/** The most progress of one call, in bytes of UTF-8. */
const MAX_BYTES = 256 * 1024

const OMITTED = '\n[the rest of the progress is not shown]\n'

/** The text that the reader of a turn sees while a runner works. */
export type Progress = ReturnType<typeof createProgress>

/** Creates a progress that collects small pieces; `send` is called at most every 250 ms, and when it is flushed. */
export function createProgress(send: (text: string) => void) {
  let room = MAX_BYTES
  let pending = ''
  let isAtStart = true
  let sentAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (pending === '') return
    const text = pending
    pending = ''
    sentAt = performance.now()
    send(text)
  }
  const write = (text: string) => {
    if (room <= 0 || text === '') return
    const bytes = Buffer.byteLength(text)
    if (bytes > room) {
      const shownPart = new TextDecoder().decode(Buffer.from(text).subarray(0, room), { stream: true })
      pending += shownPart + OMITTED
    } else pending += text
    room -= bytes
    isAtStart = text.endsWith('\n')
    const wait = sentAt + INTERVAL_MS - performance.now()
    if (wait <= 0) flush()
    else timer ??= setTimeout(flush, wait)
  }

  const startLine = () => write(isAtStart ? '' : '\n')

  return {
    /** Appends text to the current line. */
    write,
    /** Begins a new line unless the current one is empty. */
    startLine,
    /** Writes text on lines of its own. */
    writeLine(text: string): void {
      startLine()
      write(`${text}\n`)
    },
    /** Sends the pending text at once. */
    flush,
    /** Sends the pending text, and nothing afterwards. */
    end(): void {
      flush()
      room = 0
    },
  }
}
