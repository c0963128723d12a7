/** A piece of code in one colour, for the light and the dark theme. */
export interface CodeToken {
  text: string
  light?: string
  dark?: string
}

export type CodeLine = readonly CodeToken[]

/** Code and the lines in which it was coloured. */
interface ColouredCode {
  code: string
  lines: readonly CodeLine[]
}

/** Longer code stays plain. */
const MAX_CHARS = 50_000
/** The shortest time between two colourings of code that is being written. */
const PAUSE_MS = 120
/** The part of the time that colouring may take: the worker colours all of the code each time. */
const SHARE = 1 / 4

let worker: Worker | undefined
let lastRequestId = 0
const waiting = new Map<number, (lines: CodeLine[] | undefined) => void>()

/** Colours code in a worker, which is started by the first call; undefined if the language is not known. */
async function highlight(code: string, language: string): Promise<CodeLine[] | undefined> {
  if (language === '' || code.length > MAX_CHARS) return undefined
  worker ??= startWorker()
  lastRequestId += 1
  const id = lastRequestId
  worker.postMessage({ id, code, language })
  return new Promise((resolve) => waiting.set(id, resolve))
}

/** Colours code while it is being written, one version at a time; the last one always. */
export function followCode(onColoured: (result: ColouredCode) => void) {
  let next: { code: string; language: string } | undefined
  let lines: readonly CodeLine[] = []
  let isRunning = false
  let isStopped = false

  const run = async () => {
    isRunning = true
    while (next && !isStopped) {
      const { code, language } = next
      next = undefined
      const startedAt = performance.now()
      const coloured = await highlight(code, language)
      if (isStopped) break
      if (coloured) {
        // Lines that are as they were are not rendered again.
        const previous = lines
        lines = coloured.map((line, index) => (isSame(line, previous[index]) ? previous[index]! : line))
        onColoured({ code, lines })
      }
      await pause(Math.max(PAUSE_MS, (performance.now() - startedAt) / SHARE))
    }
    isRunning = false
  }

  return {
    colour(code: string, language: string) {
      next = { code, language }
      isStopped = false
      if (!isRunning) void run()
    },
    stop() {
      isStopped = true
    },
  }
}

const isSame = (line: CodeLine, other: CodeLine | undefined) =>
  line.length === other?.length &&
  line.every(({ text, light }, index) => text === other[index]!.text && light === other[index]!.light)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function startWorker(): Worker {
  const started = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<{ id: number; lines?: CodeLine[] }>) => {
    waiting.get(data.id)?.(data.lines)
    waiting.delete(data.id)
  })
  return started
}
