import { hostname } from 'node:os'
import type { IndexDescription } from 'mongodb'
import type { Cradle } from './manifest.ts'
import type { NodeDocument } from './types.ts'

/** How often a server process says that it runs, in milliseconds. */
const BEAT_MS = 5000
/** How long it may be silent before it counts as gone. */
const SILENCE_SECONDS = 15

/** The index by which processes that are gone are found and removed. */
export const nodeIndexes: IndexDescription[] = [{ key: { delete_at: 1 }, expireAfterSeconds: 0 }]

/** A server process as it is shown. */
export type Node = Omit<NodeDocument, '_id' | 'delete_at'> & { id: string }

/** The server processes on this database. */
export type Nodes = ReturnType<typeof createNodes>

/** Makes the record of server processes; this process is in it from `start` to `stop`. */
export function createNodes({
  collections: { nodes },
  clock,
  log,
  server: { node_id, version, started_at },
}: Pick<Cradle, 'collections' | 'clock' | 'log' | 'server'>) {
  let started = false
  let timer: NodeJS.Timeout | undefined
  let beating = Promise.resolve()

  const describeSelf = () => ({
    host: hostname(),
    pid: process.pid,
    version,
    started_at,
    seen_at: clock.seconds(),
  })

  const beat = async () => {
    const self = describeSelf()
    const delete_at = new Date((self.seen_at + SILENCE_SECONDS) * 1000)
    try {
      await nodes.replaceOne({ _id: node_id }, { ...self, delete_at }, { upsert: true })
    } catch (error) {
      // What fails here is no reason to refuse service.
      log.error({ error }, 'the heartbeat of this server failed')
    }
    if (started) timer = setTimeout(() => (beating = beat()), BEAT_MS).unref()
  }

  return {
    /** Says that this process runs, now and from then on. */
    async start() {
      started = true
      beating = beat()
      await beating
    },
    async stop() {
      started = false
      clearTimeout(timer)
      // One that is under way would bring the document back.
      await beating
      await nodes.deleteOne({ _id: node_id })
    },
    /** Those that run, the longest running first. */
    async list(): Promise<Node[]> {
      const others = { _id: { $ne: node_id }, delete_at: { $gte: new Date(clock.now()) } }
      const found = await nodes.find(others).toArray()
      const rows: Node[] = found.map(({ _id: id, delete_at: _, ...facts }) => ({ id, ...facts }))
      if (started) rows.push({ id: node_id, ...describeSelf() })
      return rows.sort((a, b) => a.started_at - b.started_at || (a.id < b.id ? -1 : 1))
    },
  }
}
