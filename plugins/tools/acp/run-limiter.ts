import { createDeadline, createSemaphore, type Semaphore } from '#toolbox'
import { RunnerFailure } from './errors.ts'

/** Limits the runners that work at the same time, in all and for one account. */
interface RunLimiter {
  /** Waits for a permit, at most `max_seconds`; returns its release. Throws a RunnerFailure, or the signal's reason. */
  acquire(user_id: string, signal: AbortSignal): Promise<() => void>
}

/** Creates a limiter with `max_processes` permits, of which one account has at most half. */
export function createRunLimiter({
  max_processes,
  max_seconds,
}: {
  max_processes: number
  max_seconds: number
}): RunLimiter {
  const all = createSemaphore()
  const accounts = new Map<string, { permits: Semaphore; uses: number }>()
  const maxPerAccount = Math.max(1, Math.floor(max_processes / 2))

  return {
    async acquire(user_id, signal) {
      const account = accounts.get(user_id) ?? { permits: createSemaphore(), uses: 0 }
      accounts.set(user_id, account)
      account.uses += 1
      const createFailure = () =>
        new RunnerFailure(
          `could not start within ${max_seconds} s because other agents are running; try again later`,
        )
      const deadline = createDeadline([signal], { milliseconds: max_seconds * 1000, reason: createFailure })
      const releases: (() => void)[] = [
        () => {
          account.uses -= 1
          if (account.uses === 0) accounts.delete(user_id)
        },
      ]
      const release = () => {
        for (const step of releases.splice(0)) step()
      }
      try {
        releases.push(await account.permits.acquire(maxPerAccount, deadline.signal))
        releases.push(await all.acquire(max_processes, deadline.signal))
        return release
      } catch (error) {
        release()
        throw error
      } finally {
        deadline.release()
      }
    },
  }
}
