/** A piece of code in one colour, for the light and the dark theme. */
export interface CodeToken {
  text: string
  light?: string
  dark?: string
}

export type CodeLine = CodeToken[]

/** Longer code stays plain. */
const MAX_CHARS = 50_000

let worker: Worker | undefined
let lastRequestId = 0
const waiting = new Map<number, (lines: CodeLine[] | undefined) => void>()

/** Colours code in a worker, which is started by the first call; undefined if the language is not known. */
export async function highlight(code: string, language: string): Promise<CodeLine[] | undefined> {
  if (language === '' || code.length > MAX_CHARS) return undefined
  worker ??= startWorker()
  lastRequestId += 1
  const id = lastRequestId
  worker.postMessage({ id, code, language })
  return new Promise((resolve) => waiting.set(id, resolve))
}

function startWorker(): Worker {
  const started = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<{ id: number; lines?: CodeLine[] }>) => {
    waiting.get(data.id)?.(data.lines)
    waiting.delete(data.id)
  })
  return started
}
