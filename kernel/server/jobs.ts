import { setMaxListeners } from 'node:events'
import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { Collection } from 'mongodb'
import { type Clock, untilTick } from '../clock.ts'
import type { Job } from '../contract/job.ts'
import { acquireLeases, type LeaseDocument } from '../database/lease.ts'
import type { Logger } from '../log.ts'

/** The number of periods without a renewal after which another process takes over. */
const LEASE_PERIODS = 3
/** A lease that lasts longer than this need not be renewed before the next period. */
const ENOUGH_PERIODS = 1.5

/** Runs jobs on their schedule while this process can hold their leases; the first run comes at once. */
export function startJobs({
  jobs,
  leases,
  holder,
  clock,
  log,
}: {
  jobs: { job: Job; cradle: unknown }[]
  leases: Collection<LeaseDocument>
  holder: string
  clock: Clock
  log: Logger
}): { stop(): Promise<void> } {
  const abort = new AbortController()
  // Avoids MaxListenersExceededWarning, as each job adds a listener.
  setMaxListeners(0, abort.signal)

  let asking: ReturnType<typeof gather> | undefined
  /** The ends of the leases that this process holds, in Unix milliseconds. */
  const heldUntil = new Map<string, number>()

  /** Takes or renews the lease of a job; leases that are due at the same time go in one command. */
  const acquire = async ({ name, every_seconds }: Job) => {
    const period = every_seconds * 1000
    if (heldUntil.get(name)! - clock.now() > period * ENOUGH_PERIODS) return true
    asking ??= gather()
    asking.periods.set(name, period)
    return (await asking.held).has(name)
  }

  const gather = () => {
    const periods = new Map<string, number>()
    const acquiring = setImmediate().then(async () => {
      asking = undefined
      const now = clock.now()
      const requests = [...periods].map(([name, period]) => ({
        name,
        holder,
        now,
        until: now + period * LEASE_PERIODS,
      }))
      const acquiredNames = await acquireLeases(leases, requests)
      for (const { name, until } of requests) if (acquiredNames.has(name)) heldUntil.set(name, until)
      return acquiredNames
    })
    return { periods, held: acquiring }
  }

  /** A job that runs for long keeps its lease. */
  const run = async (job: Job, cradle: unknown, fail: (error: unknown) => void) => {
    let renewing: Promise<unknown> = Promise.resolve()
    const renewal = setInterval(() => {
      renewing = renewing.then(() => acquire(job)).catch(fail)
    }, job.every_seconds * 1000)
    try {
      await job.run(cradle as never, abort.signal)
    } finally {
      clearInterval(renewal)
      // A pending renewal would take the lease again after its release.
      await renewing
    }
  }

  const loop = async ({ job, cradle }: { job: Job; cradle: unknown }) => {
    const fail = (error: unknown) => {
      if (!abort.signal.aborted) log.error({ error, job: job.name }, 'job failed')
    }
    while (!abort.signal.aborted) {
      try {
        // A job that begins after the stop would not hear of it.
        if ((await acquire(job)) && !abort.signal.aborted) await run(job, cradle, fail)
      } catch (error) {
        fail(error)
      }
      const wait = untilTick(job.every_seconds * 1000)
      // Rejects only when aborted, which ends the loop.
      await pause(wait, undefined, { signal: abort.signal }).catch(() => undefined)
    }
  }

  const loops = jobs.map(loop)
  return {
    async stop() {
      abort.abort()
      await Promise.all(loops)
      await leases.deleteMany({ holder })
    },
  }
}
