import { hostname } from 'node:os'
import type { IndexDescription } from 'mongodb'
import { hasEnded, thisProcess, untilTick } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { NodeDocument } from './types.ts'

/** The interval of the heartbeat of a server process, and of its looks for others while it is alone, in milliseconds. */
const BEAT_MS = 5000
/** The interval at which a process looks at the others, in milliseconds. */
const LOOK_MS = 2500
/** All intervals while one of several processes is busy, in milliseconds. */
const BUSY_MS = 500
/** The time without a heartbeat after which a process counts as gone, in seconds. */
const SILENCE_SECONDS = 15
/** The most processes that are known to be gone: their leases expire soon. */
const MAX_GONE = 1000

/** The index that expires processes that are gone. */
export const nodeIndexes: IndexDescription[] = [{ key: { delete_at: 1 }, expireAfterSeconds: 0 }]

/** A server process as the overview shows it. */
type Node = Pick<NodeDocument, 'host' | 'pid' | 'version' | 'commit' | 'started_at' | 'seen_at'> & {
  id: string
}

/** The server processes on this database. */
export type Nodes = ReturnType<typeof createNodes>

/**
 * Creates the record of server processes, which contains this process from `start` to `stop`. While one of several
 * processes is busy, they notice within about two seconds that it has died; otherwise it takes them longer.
 */
export function createNodes({
  collections: { nodes },
  clock,
  log,
  server: { node_id, version, commit, started_at },
}: Pick<Cradle, 'collections' | 'clock' | 'log' | 'server'>) {
  const peers = createPeerWatch()
  const changed: (() => void)[] = []
  const goneListeners: ((node_id: string) => void)[] = []
  const recentlyGone = new Set<string>()
  const work: (() => boolean)[] = []
  let started = false
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let beats = 0
  let beatAt = Number.NEGATIVE_INFINITY
  let wasBusy = false
  let wait = BEAT_MS

  const isBusy = () => work.some((has) => has())
  const isUrgent = () => peers.count > 0 && (isBusy() || peers.areBusy)

  const describeSelf = () => ({
    host: hostname(),
    pid: process.pid,
    version,
    commit,
    started_at,
    seen_at: clock.seconds(),
  })

  const beat = async () => {
    const self = describeSelf()
    beatAt = performance.now()
    beats += 1
    wasBusy = isBusy()
    const delete_at = new Date((self.seen_at + SILENCE_SECONDS) * 1000)
    await nodes.replaceOne(
      { _id: node_id },
      { ...self, ...thisProcess, beats, is_busy: wasBusy, delete_at },
      { upsert: true },
    )
  }

  const listOthers = () =>
    nodes.find({ _id: { $ne: node_id }, delete_at: { $gte: new Date(clock.now()) } }).toArray()

  const look = async () => {
    const earlierCount = peers.count
    const askedAt = performance.now()
    const others = await listOthers()
    const dead = peers.note(others, askedAt)
    // One that was only slow beats again.
    for (const { _id } of others) recentlyGone.delete(_id)
    for (const { _id } of dead) {
      recentlyGone.add(_id)
      if (recentlyGone.size > MAX_GONE) recentlyGone.delete(recentlyGone.values().next().value!)
      await nodes.deleteOne({ _id })
      for (const listener of goneListeners) listener(_id)
    }
    if (peers.count !== earlierCount) for (const listener of changed) listener()
  }

  const run = async () => {
    try {
      const isDue = performance.now() - beatAt >= (isUrgent() ? BUSY_MS : BEAT_MS) - BUSY_MS / 2
      if (isDue || (peers.count > 0 && isBusy() !== wasBusy)) await beat()
      if (started) await look()
    } catch (error) {
      // A failed heartbeat is no reason to refuse service.
      peers.reset()
      log.error({ error }, 'the heartbeat of this server failed')
    }
    if (!started) return
    const quiet = peers.count > 0 ? LOOK_MS : BEAT_MS
    wait = isUrgent() ? BUSY_MS : quiet
    timer = setTimeout(next, wait === BUSY_MS ? wait : untilTick(wait)).unref()
  }
  const next = () => {
    timer = undefined
    running = run()
  }

  return {
    /** Starts the heartbeat of this process. */
    async start() {
      started = true
      next()
      await running
    },
    async stop() {
      started = false
      clearTimeout(timer)
      // A heartbeat still under way would restore the document.
      await running
      await nodes.deleteOne({ _id: node_id })
    },
    /** Lists the running processes, the oldest first. */
    async list(): Promise<Node[]> {
      const rows: Node[] = (await listOthers()).map(
        ({ _id: id, host, pid, version, commit, started_at, seen_at }) => ({
          id,
          host,
          pid,
          version,
          commit,
          started_at,
          seen_at,
        }),
      )
      if (started) rows.push({ id: node_id, ...describeSelf() })
      return rows.sort((a, b) => a.started_at - b.started_at || (a.id < b.id ? -1 : 1))
    },
    /** The number of other running processes, as this one knows. */
    get peers(): number {
      return peers.count
    },
    /** Calls a listener when there are more other processes, or fewer. */
    onChange: (listener: () => void) => void changed.push(listener),
    /** Calls a listener with the id of a process that ended without stopping. */
    onGone: (listener: (node_id: string) => void) => void goneListeners.push(listener),
    /** True if a process is known to have ended. */
    isGone: (node_id: string): boolean => recentlyGone.has(node_id),
    /** Registers work that others must take over soon if this process dies. */
    watchWork: (has: () => boolean) => void work.push(has),
    /** Looks at the others now, because one of them is at work, or this process is. */
    hurry() {
      if (timer === undefined || wait === BUSY_MS || peers.count === 0) return
      clearTimeout(timer)
      next()
    },
  }
}

/** The silence of a busy process on another machine after which it counts as dead, in milliseconds. */
const SILENCE_MS = 2000
/** The duration of a look, and the pause before it, from which on it proves nothing, in milliseconds. */
const SLOW_MS = { look: 1000, pause: 3000 }

type Peer = Pick<NodeDocument, '_id' | 'machine' | 'pid' | 'launch' | 'beats' | 'is_busy'>

/** Creates the record of the other processes as this one knows them from their heartbeats, without comparing clocks. */
function createPeerWatch() {
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
