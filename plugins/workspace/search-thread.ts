import { Worker } from 'node:worker_threads'
import { createPlaces, untilAborted } from '#kernel'
import { FileFailure } from './file-failure.ts'
import type { SearchRequest } from './file-search.ts'
import type { SearchAnswer, SearchTask } from './search-worker.ts'

/** After this long a search gives what it has found, in milliseconds. */
const TIME_MS = 10_000
/** After this long its thread is ended by force, in milliseconds; one line can take some seconds of this. */
const LIMIT_MS = 30_000
const MAX_HEAP_MB = 256

const TOO_COSTLY =
  'the search took too long or too much memory; use a simpler pattern, or name a folder or file'

// The compiled file's name, since only that is run.
const WORKER = new URL('./search-worker.js', import.meta.url)

const MAX_THREADS = 2
const places = createPlaces()

/**
 * Searches in a thread of its own, so that no pattern and no file can hold up the server. Throws a FileFailure that
 * explains, or the signal's reason as soon as it is aborted.
 */
export function searchInThread(
  request: Omit<SearchRequest, 'time_ms'>,
  signal: AbortSignal,
): Promise<string> {
  return untilAborted(signal, runInPlace({ ...request, time_ms: TIME_MS }, signal))
}

/** Keeps its place until the thread is gone, also where nobody waits for it any more. */
async function runInPlace(request: SearchRequest, signal: AbortSignal): Promise<string> {
  const waiting = new AbortController()
  const giveUp = () => waiting.abort(signal.reason)
  if (signal.aborted) giveUp()
  signal.addEventListener('abort', giveUp, { once: true })
  const leave = await places.enter(MAX_THREADS, waiting.signal)
  signal.removeEventListener('abort', giveUp)
  try {
    return await run(request, signal)
  } finally {
    leave()
  }
}

/** Settles when the thread has ended; one that is no longer wanted ends by itself, to close what it has opened. */
async function run(request: SearchRequest, signal: AbortSignal): Promise<string> {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const halt = () => void Atomics.store(stop, 0, 1)
  const worker = new Worker(WORKER, {
    workerData: { request, stop } satisfies SearchTask,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  if (signal.aborted) halt()
  signal.addEventListener('abort', halt, { once: true })
  const limit = setTimeout(() => void worker.terminate(), LIMIT_MS)
  try {
    return await answerOf(worker)
  } finally {
    clearTimeout(limit)
    signal.removeEventListener('abort', halt)
  }
}

function answerOf(worker: Worker): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer: SearchAnswer = { failure: TOO_COSTLY }
    worker.once('message', (said: SearchAnswer) => {
      answer = said
    })
    worker.once('error', (error: NodeJS.ErrnoException) => {
      const isTooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(isTooMuch ? new FileFailure(TOO_COSTLY, { cause: error }) : error)
    })
    worker.once('exit', () => {
      if ('text' in answer) resolve(answer.text)
      else reject(new FileFailure(answer.failure))
    })
  })
}
