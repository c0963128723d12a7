/** Runs jobs of the same key in order, and jobs of different keys in parallel. */
interface KeyedQueue {
  /** Starts the job at once if no other job of its key is running. */
  run<Result>(key: string, job: () => Promise<Result>): Promise<Result>
}

/** Creates a queue without jobs. */
export function createKeyedQueue(): KeyedQueue {
  const newest = new Map<string, Promise<unknown>>()
  return {
    run(key, job) {
      const before = newest.get(key)
      const result = before ? before.then(job) : job()
      const settled: Promise<unknown> = result
        .catch(() => undefined)
        .then(() => {
          if (newest.get(key) === settled) newest.delete(key)
        })
      newest.set(key, settled)
      return result
    },
  }
}
