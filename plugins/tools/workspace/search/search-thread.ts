import { Worker } from 'node:worker_threads'
import { createSemaphore, untilAborted } from '#plugin-api'
import { FileFailure } from '../files/file-failure.ts'
import type { SearchRequest } from './file-search.ts'
import type { SearchAnswer, SearchTask } from './search-worker.ts'

/** The time after which a search returns what it has found. */
const TIME_MS = 10_000
/** The time after which a search thread is terminated; a single line can take some seconds. */
const TERMINATION_MS = 30_000
const MAX_HEAP_MB = 256
/** The time for which an idle thread is kept. */
const IDLE_MS = 10_000

const TOO_COSTLY =
  'the search took too long or too much memory; use a simpler pattern, or name a folder or file'

// The name of the compiled file.
const WORKER = new URL('./search-worker.js', import.meta.url)

const MAX_THREADS = 2
const threads = createSemaphore()

/**
 * Searches in a thread of its own, so that no pattern and no file can block the server. Throws a FileFailure with the
 * reason, or the signal's reason as soon as it is aborted.
 */
export function searchInThread(
  request: Omit<SearchRequest, 'time_ms'>,
  signal: AbortSignal,
): Promise<string> {
  const search = () => run({ ...request, time_ms: TIME_MS }, signal)
  return untilAborted(signal, threads.run(MAX_THREADS, signal, search))
}

/** Settles when the thread is free again or has ended; an aborted search soon stops and answers. */
async function run(request: SearchRequest, signal: AbortSignal): Promise<string> {
  const stop = new Int32Array(new SharedArrayBuffer(4))
  const halt = () => void Atomics.store(stop, 0, 1)
  if (signal.aborted) halt()
  signal.addEventListener('abort', halt, { once: true })
  const thread = takeThread()
  const limit = setTimeout(() => void thread.terminate(), TERMINATION_MS)
  try {
    const answer = await waitForAnswer(thread, { request, stop })
    keepThread(thread)
    if ('text' in answer) return answer.text
    throw new FileFailure(answer.failure)
  } finally {
    clearTimeout(limit)
    signal.removeEventListener('abort', halt)
  }
}

/** Rejects if the thread ends without an answer. */
function waitForAnswer(thread: Worker, task: SearchTask): Promise<SearchAnswer> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: SearchAnswer) => {
      thread.off('error', onError).off('exit', onExit)
      resolve(answer)
    }
    const onError = (error: NodeJS.ErrnoException) => {
      const isTooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
      reject(isTooMuch ? new FileFailure(TOO_COSTLY, { cause: error }) : error)
    }
    const onExit = () => reject(new FileFailure(TOO_COSTLY))
    thread.once('message', onMessage).once('error', onError).once('exit', onExit).postMessage(task)
  })
}

/** Idle threads, with the timers that terminate them. */
const idle = new Map<Worker, NodeJS.Timeout>()

function takeThread(): Worker {
  for (const [thread, retirement] of idle) {
    clearTimeout(retirement)
    idle.delete(thread)
    thread.ref()
    return thread
  }
  return new Worker(WORKER, {
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
}

/** Keeps a thread for the next search, as starting a thread takes longer than most searches. */
function keepThread(thread: Worker): void {
  thread.unref()
  const retire = () => {
    idle.delete(thread)
    void thread.terminate()
  }
  idle.set(thread, setTimeout(retire, IDLE_MS).unref())
}
