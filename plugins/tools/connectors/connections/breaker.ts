import type { Clock } from '#kernel'
import { ConnectorFailure } from './failure.ts'

/** The failures in a row after which a server gets a rest. */
const MAX_FAILURES = 3
const FIRST_REST_MS = 5000
const MAX_REST_MS = 300_000
/** The servers whose failures are remembered. */
const MAX_KNOWN = 10_000

/** Keeps a server that fails again and again from being asked. */
export type Breaker = ReturnType<typeof createBreaker>

/** Creates the record of failures of this process. */
export function createBreaker({ clock }: { clock: Clock }) {
  const known = new Map<string, { failures: number; until: number }>()
  return {
    /** Runs work with a server; throws a ConnectorFailure `unavailable` without running it while the server rests. */
    async run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
      const before = known.get(key)
      if (before && before.until > clock.now()) {
        const seconds = Math.ceil((before.until - clock.now()) / 1000)
        throw new ConnectorFailure(
          'unavailable',
          `The server failed ${before.failures} times in a row. It is asked again in ${seconds} seconds.`,
        )
      }
      try {
        const value = await work()
        known.delete(key)
        return value
      } catch (error) {
        if (!(error instanceof ConnectorFailure) || !error.isOutage) throw error
        const counted = known.get(key)?.failures ?? 0
        // A call that ran at the same time has counted this outage already.
        if (counted > (before?.failures ?? 0)) throw error
        const failures = counted + 1
        const rest = Math.min(FIRST_REST_MS * 2 ** (failures - MAX_FAILURES), MAX_REST_MS)
        if (known.size >= MAX_KNOWN) known.clear()
        known.set(key, { failures, until: failures < MAX_FAILURES ? 0 : clock.now() + rest })
        throw error
      }
    },
    /** Forgets the failures of the servers whose keys begin with a text. */
    forget(prefix: string): void {
      for (const key of known.keys()) if (key.startsWith(prefix)) known.delete(key)
    },
  }
}
