import { setTimeout as pause } from 'node:timers/promises'

/** How fast one provider is called by this process: so many calls at a time, and none while it asks for rest. */
export interface Pace {
  /** Waits for one of `limit` places, in the order of asking; gives what frees it, as an abort does, too. */
  enter(limit: number, signal?: AbortSignal): Promise<() => void>
  /** Lets no call begin for so many milliseconds. */
  rest(ms: number): void
  /** Waits for the end of the rest. */
  rested(signal?: AbortSignal): Promise<void>
}

/** The part of a rest that is added to it by chance, so that those who wait do not all begin at once. */
const JITTER = 0.2

/** Makes the pace of one provider. */
export function createPace(): Pace {
  const waiting = new Set<() => void>()
  let places = 0
  let taken = 0
  let restUntil = 0
  let jitter = 0

  function admit(): void {
    for (const take of waiting) {
      if (taken >= places) return
      taken += 1
      waiting.delete(take)
      take()
    }
  }

  const leftOver = () => restUntil - performance.now()

  return {
    enter(limit, signal) {
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
          // While it waits nobody has this function but the signal.
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
    rest(ms) {
      restUntil = Math.max(restUntil, performance.now() + ms)
      jitter = ms * JITTER
    },
    async rested(signal) {
      for (let left = leftOver(); left > 0; left = leftOver())
        await pause(left + Math.random() * jitter, undefined, { signal })
    },
  }
}
