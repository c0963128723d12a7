/**
 * Creates a queue that runs jobs of the same key in order of arrival, `concurrency` at a time, and jobs of different
 * keys in parallel; a key uses memory only while it has jobs.
 */
export function createKeyedQueue({
  concurrency = 1,
  maxWaiting = Infinity,
  toRefusal = () => new Error('too many jobs are waiting'),
}: {
  concurrency?: number
  maxWaiting?: number
  toRefusal?: () => Error
} = {}) {
  const queues = new Map<string, { running: number; waiting: (() => void)[] }>()
  return {
    /** Runs a job, at once if the key has room. Throws `toRefusal()` if `maxWaiting` jobs of the key wait already. */
    async run<Result>(key: string, job: () => Promise<Result>): Promise<Result> {
      const queue = queues.get(key) ?? { running: 0, waiting: [] }
      queues.set(key, queue)
      if (queue.running < concurrency) queue.running += 1
      else {
        if (queue.waiting.length >= maxWaiting) throw toRefusal()
        await new Promise<void>((resolve) => queue.waiting.push(resolve))
      }
      try {
        return await job()
      } finally {
        const next = queue.waiting.shift()
        if (next) next()
        else {
          queue.running -= 1
          if (queue.running === 0) queues.delete(key)
        }
      }
    },
  }
}
