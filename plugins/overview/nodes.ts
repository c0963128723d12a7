import { hostname } from 'node:os'
import type { IndexDescription } from 'mongodb'
import type { Cradle } from './manifest.ts'
import type { NodeDocument } from './types.ts'

/** The interval of the heartbeat of a server process, in milliseconds. */
const BEAT_MS = 5000
/** The time without a heartbeat after which a process counts as gone, in seconds. */
const SILENCE_SECONDS = 15

/** The index that expires processes that are gone. */
export const nodeIndexes: IndexDescription[] = [{ key: { delete_at: 1 }, expireAfterSeconds: 0 }]

/** A server process as the overview shows it. */
type Node = Omit<NodeDocument, '_id' | 'delete_at'> & { id: string }

/** The server processes on this database. */
export type Nodes = ReturnType<typeof createNodes>

/** Creates the record of server processes, which contains this process from `start` to `stop`. */
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
      // A failed heartbeat is no reason to refuse service.
      log.error({ error }, 'the heartbeat of this server failed')
    }
    if (started) timer = setTimeout(() => (beating = beat()), BEAT_MS).unref()
  }

  return {
    /** Starts the heartbeat of this process. */
    async start() {
      started = true
      beating = beat()
      await beating
    },
    async stop() {
      started = false
      clearTimeout(timer)
      // A heartbeat still under way would restore the document.
      await beating
      await nodes.deleteOne({ _id: node_id })
    },
    /** Lists the running processes, the oldest first. */
    async list(): Promise<Node[]> {
      const others = { _id: { $ne: node_id }, delete_at: { $gte: new Date(clock.now()) } }
      const found = await nodes.find(others).toArray()
      const rows: Node[] = found.map(({ _id: id, delete_at: _, ...facts }) => ({ id, ...facts }))
      if (started) rows.push({ id: node_id, ...describeSelf() })
      return rows.sort((a, b) => a.started_at - b.started_at || (a.id < b.id ? -1 : 1))
    },
  }
}
