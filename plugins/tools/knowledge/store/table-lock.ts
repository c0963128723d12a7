import { setTimeout as pause } from 'node:timers/promises'
import { acquireLease, thisProcess } from '#plugin-api'
import type { Cradle } from '../manifest.ts'

/** The time after which another process may write if this one was killed, in milliseconds. */
const LEASE_MS = 15_000
/** The pause before a lock that another process holds is asked for again, in milliseconds. */
const RETRY_MS = 25

/** Lets one process at a time write a table, so that files of no version are known to be the remains of a crash. */
export type TableLock = ReturnType<typeof createTableLock>

/** Creates the lock, as leases in the database. */
export function createTableLock({
  clock,
  collections: { knowledge_leases: leases },
  log,
  server,
}: Pick<Cradle, 'clock' | 'collections' | 'log' | 'server'>) {
  const ending = new AbortController()
  const holder = JSON.stringify({ ...thisProcess, node_id: server.node_id })

  const acquire = (name: string) => {
    const now = clock.now()
    return acquireLease(leases, { name, holder, now, until: now + LEASE_MS })
  }

  return {
    /** Does work while no other process writes a table. Rejects when the lock is ended while it waits. */
    async run<Result>(table: string, work: () => Promise<Result>): Promise<Result> {
      const name = `table ${table}`
      while (!(await acquire(name))) await pause(RETRY_MS, undefined, { signal: ending.signal })
      let renewing: Promise<unknown> = Promise.resolve()
      const renewal = setInterval(() => {
        renewing = renewing
          .then(() => acquire(name))
          .catch((error) => log.warn({ error, table }, 'the lock of a table could not be renewed; retrying'))
      }, LEASE_MS / 5)
      try {
        return await work()
      } finally {
        clearInterval(renewal)
        await renewing
        await leases.deleteOne({ _id: name, holder })
      }
    },

    /** Ends waiting; work that has begun continues. */
    end: (): void => ending.abort(),
  }
}
