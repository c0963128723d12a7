/** Limits how much of some work runs at the same time. */
export type Semaphore = ReturnType<typeof createSemaphore>

/** Creates a semaphore whose permits are all free. */
export function createSemaphore() {
  const waiting = new Set<() => void>()
  let permits = 0
  let used = 0

  const admit = () => {
    for (const enter of waiting) {
      if (used >= permits) return
      used += 1
      waiting.delete(enter)
      enter()
    }
  }

  const wait = (limit: number, signal?: AbortSignal) => {
    permits = limit
    return new Promise<void>((resolve, reject) => {
      signal?.throwIfAborted()
      const enter = () => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        waiting.delete(enter)
        reject(signal!.reason)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      waiting.add(enter)
      admit()
    })
  }

  const leave = () => {
    used -= 1
    admit()
  }

  return {
    /** Waits for one of `limit` permits, in the order of the calls; returns its release. An abort releases it, too. */
    async acquire(limit: number, signal?: AbortSignal): Promise<() => void> {
      await wait(limit, signal)
      let isInside = true
      const release = () => {
        signal?.removeEventListener('abort', release)
        if (isInside) leave()
        isInside = false
      }
      if (signal?.aborted) release()
      else signal?.addEventListener('abort', release)
      return release
    },

    /**
     * Runs work with a permit, which is released when the work has settled; an abort only ends the wait for the permit.
     */
    async run<Result>(limit: number, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
      await wait(limit, signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

/** Limits work in all and by key; a key uses memory only while it has work. */
export function createKeyedSemaphore() {
  const all = createSemaphore()
  const keys = new Map<string, { semaphore: Semaphore; uses: number }>()
  return {
    /** Waits for one of `perKey` permits of a key, then for one of `total`; returns the release of both. */
    async acquire(
      key: string,
      { perKey, total = Infinity }: { perKey: number; total?: number },
      signal?: AbortSignal,
    ): Promise<() => void> {
      const own = keys.get(key) ?? { semaphore: createSemaphore(), uses: 0 }
      keys.set(key, own)
      own.uses += 1
      const releases = [
        () => {
          own.uses -= 1
          if (own.uses === 0) keys.delete(key)
        },
      ]
      const release = () => {
        for (const step of releases.splice(0)) step()
      }
      try {
        releases.push(await own.semaphore.acquire(perKey, signal))
        releases.push(await all.acquire(total, signal))
        return release
      } catch (error) {
        release()
        throw error
      }
    },
  }
}
