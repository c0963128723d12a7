import { hasEnded, thisProcess } from '#toolbox'
import type { NodeDocument } from './types.ts'

/** The silence of a busy process on another machine after which it counts as dead, in milliseconds. */
const SILENCE_MS = 2000
/** The duration of a look, and the pause before it, from which on it proves nothing, in milliseconds. */
const SLOW_MS = { look: 1000, pause: 3000 }

type Peer = Pick<NodeDocument, '_id' | 'machine' | 'pid' | 'launch' | 'beats' | 'is_busy'>

/** Creates the record of the other processes as this one knows them from their heartbeats, without comparing clocks. */
export function createPeerWatch() {
  let peers = new Map<string, { peer: Peer; since: number }>()
  let lookedAt = Number.NEGATIVE_INFINITY

  const isDead = ({ peer, since }: { peer: Peer; since: number }, askedAt: number) =>
    peer.machine === thisProcess.machine ? hasEnded(peer) : peer.is_busy && askedAt - since >= SILENCE_MS

  return {
    get count(): number {
      return peers.size
    },
    get areBusy(): boolean {
      return [...peers.values()].some(({ peer }) => peer.is_busy)
    },
    /** Takes a look that began at this time; returns those that are gone or dead, each once. */
    note(rows: readonly Peer[], askedAt: number): Pick<Peer, '_id'>[] {
      const isReliable = performance.now() - askedAt < SLOW_MS.look && askedAt - lookedAt < SLOW_MS.pause
      lookedAt = askedAt
      const current = new Map<string, { peer: Peer; since: number }>()
      for (const peer of rows) {
        const earlier = peers.get(peer._id)
        const isSilent = isReliable && earlier?.peer.beats === peer.beats && earlier.peer.is_busy
        current.set(peer._id, { peer, since: isSilent ? earlier.since : askedAt })
      }
      const missing = [...peers.keys()].filter((id) => !current.has(id)).map((_id) => ({ _id }))
      for (const [_id, entry] of current)
        if (isDead(entry, askedAt)) {
          current.delete(_id)
          missing.push({ _id })
        }
      peers = current
      return missing
    },
    /** Forgets for how long the others have been silent, because this process could not look. */
    reset(): void {
      lookedAt = Number.NEGATIVE_INFINITY
    },
  }
}
