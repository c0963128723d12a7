import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createDeadline, createSemaphore, untilAborted } from '#toolbox'
import type { ReadableHtml } from './readable-html-thread.ts'

/** The time for one document. */
const TIME_LIMIT_MS = 5000
/** The memory of the thread in MiB, enough for some hundred thousand elements. */
const MEMORY_MB = 256
/** The most documents that are converted at the same time. */
const MAX_THREADS = 2

const program = new URL('./readable-html-thread.js', import.meta.url)

/** Converts HTML to readable text; rejects with a sentence for the model if that needs too much time or memory. */
type HtmlReader = (html: string, url: string, signal: AbortSignal) => Promise<ReadableHtml>

/**
 * Creates the HTML reader. It works in a thread of its own, which can be terminated: the parser's time grows with the
 * square of the depth of the elements, so a hostile document keeps it busy for minutes.
 */
export function createHtmlReader({ timeLimitMs = TIME_LIMIT_MS } = {}): HtmlReader {
  const threads = createSemaphore()

  async function read(html: string, url: string, signal: AbortSignal): Promise<ReadableHtml> {
    const worker = new Worker(program, {
      workerData: { html, url },
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
    const reason = () => new Error(`it took more than ${timeLimitMs / 1000} s`)
    const deadline = createDeadline([signal], { milliseconds: timeLimitMs, reason })
    try {
      const [readable] = await untilAborted(deadline.signal, once(worker, 'message'))
      return readable
    } catch (error) {
      signal.throwIfAborted()
      throw new Error(
        'the page is too large or too deeply nested to be made readable; get its source with format "raw"',
        { cause: error },
      )
    } finally {
      deadline.release()
      await worker.terminate()
    }
  }

  return (html, url, signal) => threads.run(MAX_THREADS, signal, () => read(html, url, signal))
}
