import { Worker } from 'node:worker_threads'
import type { PassageSizes } from '../passages/passages.ts'
import type { DocumentKind } from './document-kind.ts'
import { ReadingFailure } from './reading-failure.ts'
import type { CutBatch, ReadingAnswer, ReadingTask } from './reading-worker.ts'

/** The memory of a thread in MiB. */
const MEMORY = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 12 }
/** The time for which an idle thread is kept, in milliseconds. */
const IDLE_MS = 10_000

// The name of the compiled file.
const WORKER = new URL('./reading-worker.js', import.meta.url)

/** Reads documents in threads of their own, which are terminated if they take too long or too much memory. */
export interface ReadingThreads {
  /** Reads a file and stores its text; returns the number of its pages. Throws a ReadingFailure. */
  read(
    file: string,
    request: { kind: DocumentKind; output: string; time_ms: number },
    signal: AbortSignal,
  ): Promise<number | null>
  /** Cuts a stored text into passages. */
  cut(
    input: string,
    request: { title: string; sizes: PassageSizes; time_ms: number },
    signal: AbortSignal,
  ): AsyncGenerator<CutBatch>
  end(): Promise<void>
}

/** Creates the threads; none runs before a document is read. */
export function createReadingThreads(): ReadingThreads {
  const idle = new Map<Worker, NodeJS.Timeout>()

  const take = (): Worker => {
    for (const [thread, retirement] of idle) {
      clearTimeout(retirement)
      idle.delete(thread)
      return thread
    }
    return new Worker(WORKER, {
      env: {},
      execArgv: [],
      stderr: true,
      stdout: true,
      resourceLimits: MEMORY,
    })
  }
  const keep = (thread: Worker) => {
    thread.unref()
    const retire = () => {
      idle.delete(thread)
      void thread.terminate()
    }
    idle.set(thread, setTimeout(retire, IDLE_MS).unref())
  }

  /** Terminates the thread if it does not answer in time; rejects if it has ended. */
  const ask = async (
    thread: Worker,
    task: ReadingTask,
    time_ms: number,
    signal: AbortSignal,
  ): Promise<ReadingAnswer> => {
    let settle: () => void
    const answered = new Promise<ReadingAnswer>((resolve, reject) => {
      const onExit = () => reject(new ReadingFailure('DOCUMENT_DAMAGED'))
      const onError = (error: NodeJS.ErrnoException) =>
        reject(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? new ReadingFailure('DOCUMENT_TOO_LARGE', { cause: error })
            : new ReadingFailure('DOCUMENT_DAMAGED', { cause: error }),
        )
      const onAbort = () => reject(signal.reason)
      const timer = setTimeout(() => reject(new ReadingFailure('DOCUMENT_TIMEOUT')), time_ms)
      settle = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        thread.off('message', resolve).off('error', onError).off('exit', onExit)
      }
      if (signal.aborted) onAbort()
      signal.addEventListener('abort', onAbort)
      thread.ref()
      thread.on('message', resolve).on('error', onError).on('exit', onExit).postMessage(task)
    })
    try {
      return await answered
    } finally {
      settle!()
    }
  }

  return {
    async read(file, { time_ms, ...task }, signal) {
      const thread = take()
      let answer: ReadingAnswer
      try {
        answer = await ask(thread, { task: 'read', file, ...task }, time_ms, signal)
      } catch (error) {
        await thread.terminate()
        throw error
      }
      keep(thread)
      if ('pages' in answer) return answer.pages
      throw new ReadingFailure('problem' in answer ? answer.problem : 'DOCUMENT_DAMAGED')
    },

    async *cut(input, { time_ms, ...task }, signal) {
      const thread = take()
      let isOver = false
      try {
        let answer = await ask(thread, { task: 'cut', input, ...task }, time_ms, signal)
        while ('passages' in answer) {
          isOver = answer.progress === 1
          yield answer
          if (isOver) return
          answer = await ask(thread, { task: 'next' }, time_ms, signal)
        }
        throw new ReadingFailure('problem' in answer ? answer.problem : 'DOCUMENT_DAMAGED')
      } finally {
        if (isOver) keep(thread)
        else await thread.terminate()
      }
    },

    async end() {
      const threads = [...idle]
      idle.clear()
      for (const [, retirement] of threads) clearTimeout(retirement)
      await Promise.all(threads.map(([thread]) => thread.terminate()))
    },
  }
}
