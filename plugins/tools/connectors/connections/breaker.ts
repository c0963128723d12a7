import type { Clock } from '#plugin-api'
import { ConnectorFailure } from './failure.ts'

/** The failures in a row after which a server gets a rest. */
const MAX_FAILURES = 3
const FIRST_REST_MS = 5000
const MAX_REST_MS = 300_000
/** The servers whose failures are remembered. */
const MAX_KNOWN = 10_000

/** Stops calls to a server that fails again and again. */
export type Breaker = ReturnType<typeof createBreaker>

/** Creates the record of failures of this process. */
export function createBreaker({ clock }: { clock: Clock }) {
  const outages = new Map<string, { failures: number; until: number }>()
  return {
    /** Runs work with a server; throws a ConnectorFailure `unavailable` without running it while the server rests. */
    async run<Value>(key: string, work: () => Promise<Value>): Promise<Value> {
      const outage = outages.get(key)
      if (outage && outage.until > clock.now()) {
        const seconds = Math.ceil((outage.until - clock.now()) / 1000)
        throw new ConnectorFailure(
          'unavailable',
          `The server failed ${outage.failures} times in a row. It is asked again in ${seconds} seconds.`,
        )
      }
      try {
        const value = await work()
        outages.delete(key)
        return value
      } catch (error) {
        if (!(error instanceof ConnectorFailure) || !error.isOutage) throw error
        const counted = outages.get(key)?.failures ?? 0
        // A call that ran at the same time has counted this outage already.
        if (counted > (outage?.failures ?? 0)) throw error
        const failures = counted + 1
        const restMs = Math.min(FIRST_REST_MS * 2 ** (failures - MAX_FAILURES), MAX_REST_MS)
        if (outages.size >= MAX_KNOWN) outages.clear()
        outages.set(key, { failures, until: failures < MAX_FAILURES ? 0 : clock.now() + restMs })
        throw error
      }
    },
    /** Forgets the failures of the servers whose keys begin with a text. */
    forget(prefix: string): void {
      for (const key of outages.keys()) if (key.startsWith(prefix)) outages.delete(key)
    },
  }
}
