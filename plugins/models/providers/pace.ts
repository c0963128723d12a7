import { setTimeout as pause } from 'node:timers/promises'
import { createKeyedSemaphore } from '#toolbox'

/** Limits the calls of this process to one provider: their concurrency, and no calls while the provider asks for a rest. */
export interface Pace {
  /** Waits for one of `maxConcurrency` permits, of which an account has only a share; returns its release. */
  acquire(maxConcurrency: number, account_id: string, signal?: AbortSignal): Promise<() => void>
  /** Delays the beginning of all calls by this time. */
  rest(ms: number): void
  /** Waits for the end of the rest. */
  waitForRest(signal?: AbortSignal): Promise<void>
  /** The calls that have a permit, and those that wait for one. */
  readonly counts: { readonly running: number; readonly waiting: number }
}

/** The random part that is added to a rest, so that the waiting calls do not all begin at once. */
const JITTER = 0.2

/** The largest number of permits that one account may take alone. */
const MAX_UNSHARED = 16

/** Returns the most permits of one account, so that its calls, which may never end, leave some to others. */
const countShare = (permits: number) => (permits > MAX_UNSHARED ? Math.floor((permits * 3) / 4) : permits)

/** Creates the pace of one provider. */
export function createPace(): Pace {
  let restUntil = 0
  let jitter = 0
  const remaining = () => restUntil - performance.now()
  const counts = { running: 0, waiting: 0 }
  const permits = createKeyedSemaphore()

  return {
    counts,
    async acquire(maxConcurrency, account_id, signal) {
      counts.waiting += 1
      try {
        const limits = { perKey: countShare(maxConcurrency), total: maxConcurrency }
        const release = await permits.acquire(account_id, limits, signal)
        counts.running += 1
        return () => {
          counts.running -= 1
          release()
        }
      } finally {
        counts.waiting -= 1
      }
    },
    rest(ms) {
      restUntil = Math.max(restUntil, performance.now() + ms)
      jitter = ms * JITTER
    },
    async waitForRest(signal) {
      for (let left = remaining(); left > 0; left = remaining())
        await pause(left + Math.random() * jitter, undefined, { signal })
    },
  }
}
