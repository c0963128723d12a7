import { setTimeout as pause } from 'node:timers/promises'
import { createKeyedSemaphore } from '#plugin-api'

/** The random part that is added to a rest, so that the waiting calls do not all begin at once. */
const JITTER = 0.2

/** The largest number of permits that one account may take alone. */
const MAX_UNSHARED = 16

/** Returns the most permits of one account, so that its calls, which may never end, leave some to others. */
const countShare = (permits: number) => (permits > MAX_UNSHARED ? Math.floor((permits * 3) / 4) : permits)

/** Limits the calls of this process to one provider: their concurrency, and no calls while the provider asks for a rest. */
export type Pace = ReturnType<typeof createPace>

/** Creates the pace of one provider. */
export function createPace() {
  let restUntil = 0
  let jitter = 0
  const remaining = () => restUntil - performance.now()
  const counts = { running: 0, waiting: 0 }
  const permits = createKeyedSemaphore()

  return {
    /** The calls that have a permit, and those that wait for one. */
    counts,
    /** Waits for one of `maxConcurrency` permits, of which an account has only a share; returns its release. */
    async acquire(maxConcurrency: number, account_id: string, signal?: AbortSignal): Promise<() => void> {
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
    /** Delays the beginning of all calls by this time. */
    rest(ms: number): void {
      restUntil = Math.max(restUntil, performance.now() + ms)
      jitter = ms * JITTER
    },
    /** Waits for the end of the rest. */
    async waitForRest(signal?: AbortSignal): Promise<void> {
      for (let left = remaining(); left > 0; left = remaining())
        await pause(left + Math.random() * jitter, undefined, { signal })
    },
  }
}
