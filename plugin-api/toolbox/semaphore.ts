/** A semaphore: places for work of which only so much may run at a time. */
export interface Semaphore {
  /** Waits for one of `limit` places, in the order of asking; returns what frees it, as an abort does, too. */
  acquire(limit: number, signal?: AbortSignal): Promise<() => void>
}

/** Makes a semaphore whose places are all free. */
export function createSemaphore(): Semaphore {
  const waiting = new Set<() => void>()
  let places = 0
  let taken = 0

  function admit(): void {
    for (const take of waiting) {
      if (taken >= places) return
      taken += 1
      waiting.delete(take)
      take()
    }
  }

  return {
    acquire(limit, signal) {
      places = limit
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        let isInside = false
        const take = () => {
          isInside = true
          resolve(leave)
        }
        const leave = () => {
          signal?.removeEventListener('abort', leave)
          // While it waits, only the signal calls this function.
          if (waiting.delete(take)) return reject(signal!.reason)
          if (isInside) taken -= 1
          isInside = false
          admit()
        }
        signal?.addEventListener('abort', leave)
        waiting.add(take)
        admit()
      })
    },
  }
}
