import { acquireLease } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/** The duration of a lease, and the interval of its renewal, in milliseconds. */
const LEASE_MS = 3000
const RENEW_MS = 1000

/** The right to rebuild the threads of one agent; `lost` is aborted when another process may have taken the lease. */
export interface AgentLease {
  lost: AbortSignal
  release(): Promise<void>
}

/** Leases with which one process at a time rebuilds the threads of an agent. */
export type AgentLeases = ReturnType<typeof createAgentLeases>

/** Creates the leases over their collection. */
export function createAgentLeases({
  collections: { migration_leases: leases },
  clock,
  server,
  log,
}: Pick<Cradle, 'collections' | 'clock' | 'server' | 'log'>) {
  const holder = server.node_id
  const leasedIds = new Set<string>()
  const acquire = (agent_id: string) => {
    const now = clock.now()
    return acquireLease(leases, { name: agent_id, holder, now, until: now + LEASE_MS })
  }

  return {
    /** Returns null if another process, or this one, already holds the lease. */
    async take(agent_id: string): Promise<AgentLease | null> {
      if (leasedIds.has(agent_id)) return null
      leasedIds.add(agent_id)
      try {
        if (!(await acquire(agent_id))) {
          leasedIds.delete(agent_id)
          return null
        }
      } catch (error) {
        leasedIds.delete(agent_id)
        throw error
      }
      const lost = new AbortController()
      const renewal = setInterval(() => {
        acquire(agent_id).then(
          (isOurs) => isOurs || lost.abort(),
          (error) => log.warn({ error, agent_id }, 'a lease could not be renewed'),
        )
      }, RENEW_MS)
      return {
        lost: lost.signal,
        async release() {
          clearInterval(renewal)
          leasedIds.delete(agent_id)
          await leases.deleteOne({ _id: agent_id, holder })
        },
      }
    },
    isHeld: async (_id: string): Promise<boolean> =>
      (await leases.countDocuments({ _id, until: { $gte: clock.now() } })) > 0,
    async remove(_id: string): Promise<void> {
      await leases.deleteOne({ _id })
    },
    /** Removes the leases that crashed processes have left. */
    async clean(): Promise<void> {
      await leases.deleteMany({ until: { $lt: clock.now() - LEASE_MS } })
    },
  }
}
