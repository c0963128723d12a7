/** How often the reader of a turn is told something at the most, in milliseconds. */
const INTERVAL_MS = 250
/** How much they are told of one call, in bytes of UTF-8. */
const MAX_BYTES = 256 * 1024

const REST = '\n[the rest of what it does is not shown]\n'

/** What a reader is told while a runner works. */
export interface Progress {
  /** Text that follows what was told before. */
  write(text: string): void
  /** What follows begins on a line of its own. */
  startLine(): void
  /** Text on lines of its own. */
  writeLine(text: string): void
  /** Tells at once what is left. */
  flush(): void
  /** The same, and nothing from then on. */
  end(): void
}

/** Makes what gathers small pieces into few; `tell` is called with each of these. */
export function createProgress(tell: (text: string) => void): Progress {
  let room = MAX_BYTES
  let untold = ''
  let isAtStart = true
  let toldAt = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (untold === '') return
    const text = untold
    untold = ''
    toldAt = performance.now()
    tell(text)
  }
  const write = (text: string) => {
    if (room <= 0 || text === '') return
    const bytes = Buffer.byteLength(text)
    if (bytes > room) {
      const kept = new TextDecoder().decode(Buffer.from(text).subarray(0, room), { stream: true })
      untold += kept + REST
    } else untold += text
    room -= bytes
    isAtStart = text.endsWith('\n')
    const wait = toldAt + INTERVAL_MS - performance.now()
    if (wait <= 0) flush()
    else timer ??= setTimeout(flush, wait)
  }

  const startLine = () => write(isAtStart ? '' : '\n')

  return {
    write,
    startLine,
    writeLine(text) {
      startLine()
      write(`${text}\n`)
    },
    flush,
    end() {
      flush()
      room = 0
    },
  }
}
