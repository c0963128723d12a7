/** Runs jobs of one key one after the other, in the order they came, and those of different keys in parallel. */
export interface KeyedQueue {
  /** Begins the job at once when no other of its key is under way. */
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
