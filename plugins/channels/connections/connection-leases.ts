import { createHash } from 'node:crypto'
import { acquireLease, type Cradle } from '#kernel'
import type { KnownKind } from '../config/kinds.ts'

/** The right to connect with an account of a platform: one channel on one server process has it at a time. */
export interface ConnectionLeases {
  /** The lease for a channel's account; the channel's own where the kind knows no accounts. */
  nameOf(channel_id: string, kind: KnownKind, config: Readonly<Record<string, unknown>>): string
  /** Takes or renews a lease for some milliseconds; false while somebody else has it. */
  take(name: string, holder: string, ms: number): Promise<boolean>
  release(name: string, holder: string): Promise<void>
  /** Who holds it as this process's channel. */
  holderOf(channel_id: string): string
  /** Whether a channel has it, on whichever process. */
  isHeldFor(name: string, channel_id: string): Promise<boolean>
  /** Whether another channel has it. */
  isTaken(name: string, channel_id: string): Promise<boolean>
  listHeld(): Promise<string[]>
}

/** Makes the leases over their collection. */
export function createConnectionLeases({
  collections: { channel_leases: leases },
  clock,
  server,
}: Pick<Cradle, 'collections' | 'clock' | 'server'>): ConnectionLeases {
  const channelOf = (holder: string) => holder.slice(holder.lastIndexOf(':') + 1)

  const findHolder = async (_id: string) => {
    const found = await leases.findOne({ _id, until: { $gte: clock.now() } })
    return found && channelOf(found.holder)
  }

  return {
    nameOf(channel_id, kind, config) {
      const account = kind.identity?.(config)
      if (account === undefined) return `channel:${channel_id}`
      return `${kind.kind}:${createHash('sha256').update(account).digest('base64url')}`
    },
    take(name, holder, ms) {
      const now = clock.now()
      return acquireLease(leases, { name, holder, now, until: now + ms })
    },
    async release(_id, holder) {
      await leases.deleteOne({ _id, holder })
    },
    // One process may not connect two channels with one account either.
    holderOf: (channel_id) => `${server.node_id}:${channel_id}`,
    isHeldFor: async (name, channel_id) => (await findHolder(name)) === channel_id,
    async isTaken(name, channel_id) {
      const holder = await findHolder(name)
      return holder !== null && holder !== channel_id
    },
    async listHeld() {
      const held = await leases.find({ until: { $gte: clock.now() } }).toArray()
      return held.map(({ _id }) => _id)
    },
  }
}
