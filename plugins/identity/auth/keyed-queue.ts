import { AppError } from '#kernel'

/** Runs at most `concurrency` tasks per key at a time, in order of arrival; keys are independent of each other. */
interface KeyedQueue {
  /** Runs a task when its turn comes. Throws LOGIN_BUSY if too many tasks wait for this key. */
  run<Value>(key: string, work: () => Promise<Value>): Promise<Value>
}

/** Creates a queue; a key uses memory only while a task runs for it. */
export function createKeyedQueue({
  concurrency,
  maxWaiting,
}: {
  concurrency: number
  maxWaiting: number
}): KeyedQueue {
  const queues = new Map<string, { running: number; waiting: (() => void)[] }>()
  return {
    async run(key, work) {
      const queue = queues.get(key) ?? { running: 0, waiting: [] }
      queues.set(key, queue)
      if (queue.running < concurrency) queue.running++
      else {
        if (queue.waiting.length >= maxWaiting) throw new AppError('LOGIN_BUSY', { retry_after_seconds: 1 })
        await new Promise<void>((resolve) => queue.waiting.push(resolve))
      }
      try {
        return await work()
      } finally {
        const next = queue.waiting.shift()
        if (next) next()
        else if (--queue.running === 0) queues.delete(key)
      }
    },
  }
}
