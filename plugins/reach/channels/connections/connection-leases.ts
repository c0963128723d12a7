import { createHash } from 'node:crypto'
import { acquireLease } from '#plugin-api'
import type { KnownKind } from '../config/kinds.ts'
import type { Cradle } from '../manifest.ts'

/** Leases on accounts of platforms: one channel in one server process may connect with an account at a time. */
export type ConnectionLeases = ReturnType<typeof createConnectionLeases>

/** Creates the leases over their collection. */
export function createConnectionLeases({
  collections: { channel_leases: leases },
  clock,
  server,
}: Pick<Cradle, 'collections' | 'clock' | 'server'>) {
  const channelOf = (holder: string) => holder.slice(holder.lastIndexOf(':') + 1)

  const findHolder = async (_id: string) => {
    const lease = await leases.findOne({ _id, until: { $gte: clock.now() } })
    return lease && channelOf(lease.holder)
  }

  // Includes the channel: one process may not connect two channels with one account either.
  const holderOf = (channel_id: string) => `${server.node_id}:${channel_id}`

  return {
    /** Returns the holder name of a channel in this process. */
    holderOf,
    /** Returns the name of the lease on a channel's account, or on the channel itself if the kind has no accounts. */
    nameOf(channel_id: string, kind: KnownKind, config: Readonly<Record<string, unknown>>): string {
      const account = kind.identity?.(config)
      if (account === undefined) return `channel:${channel_id}`
      return `${kind.kind}:${createHash('sha256').update(account).digest('base64url')}`
    },
    /** Takes or renews a lease for `ms` milliseconds; false while another holder has it. */
    take(name: string, holder: string, ms: number): Promise<boolean> {
      const now = clock.now()
      return acquireLease(leases, { name, holder, now, until: now + ms })
    },
    /** Renews leases of channels of this process and returns how many of them it still held. */
    async renew(ownLeases: readonly { name: string; channel_id: string }[], ms: number): Promise<number> {
      if (ownLeases.length === 0) return 0
      const ours = {
        _id: { $in: ownLeases.map(({ name }) => name) },
        holder: { $in: ownLeases.map(({ channel_id }) => holderOf(channel_id)) },
      }
      const { matchedCount } = await leases.updateMany(ours, { $set: { until: clock.now() + ms } })
      return matchedCount
    },
    async release(_id: string, holder: string): Promise<void> {
      await leases.deleteOne({ _id, holder })
    },
    /** True if the channel holds the lease, in any process. */
    isHeldFor: async (name: string, channel_id: string): Promise<boolean> =>
      (await findHolder(name)) === channel_id,
    /** True if another channel holds the lease. */
    async isTaken(name: string, channel_id: string): Promise<boolean> {
      const holder = await findHolder(name)
      return holder !== null && holder !== channel_id
    },
    async listHeld(): Promise<string[]> {
      const liveLeases = await leases.find({ until: { $gte: clock.now() } }).toArray()
      return liveLeases.map(({ _id }) => _id)
    },
  }
}
