import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createPlaces, untilAborted } from '#kernel'
import type { ReadableHtml } from './readable-html-thread.ts'

/** How long one document may take, in milliseconds. */
const TIME_LIMIT_MS = 5000
/** Memory of the thread, in MiB: enough for some hundred thousand elements. */
const MEMORY_MB = 256
/** How many documents are worked on at a time. */
const PLACES = 2

const program = new URL('./readable-html-thread.js', import.meta.url)

/** Makes HTML readable; rejects with a sentence where that takes too long or too much memory. */
export type HtmlReader = (html: string, url: string, signal: AbortSignal) => Promise<ReadableHtml>

/**
 * Makes the reader of HTML. It works in a thread of its own, which can be ended: a hostile document keeps the parser
 * busy for minutes, with time that grows with the square of the depth of its elements.
 */
export function createHtmlReader({ timeLimitMs = TIME_LIMIT_MS } = {}): HtmlReader {
  const places = createPlaces()

  async function read(html: string, url: string, signal: AbortSignal): Promise<ReadableHtml> {
    const worker = new Worker(program, {
      workerData: { html, url },
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    })
    const late = new AbortController()
    const timer = setTimeout(
      () => late.abort(new Error(`it took more than ${timeLimitMs / 1000} s`)),
      timeLimitMs,
    )
    try {
      const until = AbortSignal.any([signal, late.signal])
      const [readable] = await untilAborted(until, once(worker, 'message'))
      return readable
    } catch (error) {
      signal.throwIfAborted()
      throw new Error(
        'the page is too large or too deeply nested to be made readable; its source can be had with format "raw"',
        { cause: error },
      )
    } finally {
      clearTimeout(timer)
      await worker.terminate()
    }
  }

  return async (html, url, signal) => {
    const leave = await places.enter(PLACES, signal)
    try {
      return await read(html, url, signal)
    } finally {
      leave()
    }
  }
}
