import type { Connection } from './connection.ts'
import { ConnectorFailure } from './failure.ts'

/** The most connections of this process. */
const MAX_OPEN = 256

interface Entry {
  key: string
  /** Names the settings and credentials that the connection was opened with. */
  stamp: string
  opening: Promise<Connection>
  /** The number of its users. */
  users: number
  idle?: NodeJS.Timeout
}

/** The open connections: opened when first needed, shared, and closed when nobody has used them for a while. */
export type ConnectionPool = ReturnType<typeof createConnectionPool>

/** Creates an empty pool. */
export function createConnectionPool({ idle_seconds }: { idle_seconds: number }) {
  const entries = new Map<string, Entry>()
  const leaving = new Set<Entry>()
  let isClosed = false

  const end = async (entry: Entry) => {
    clearTimeout(entry.idle)
    leaving.delete(entry)
    await entry.opening.then((connection) => connection.close()).catch(() => undefined)
  }
  const retire = (entry: Entry) => {
    if (entries.get(entry.key) !== entry) return
    entries.delete(entry.key)
    if (entry.users === 0) void end(entry)
    else leaving.add(entry)
  }
  const makeRoom = async () => {
    if (entries.size < MAX_OPEN) return
    const unused = [...entries.values()].find(({ users }) => users === 0)
    if (!unused) throw new ConnectorFailure('unavailable', 'Too many connections to servers are in use.')
    entries.delete(unused.key)
    await end(unused)
  }
  const addUser = (entry: Entry) => {
    clearTimeout(entry.idle)
    entry.users += 1
    return entry
  }
  /** Returns the entry with one user more. */
  const enter = async (key: string, stamp: string, open: () => Promise<Connection>): Promise<Entry> => {
    if (isClosed) throw new ConnectorFailure('unavailable', 'The server is shutting down.')
    const pooled = entries.get(key)
    if (pooled?.stamp === stamp) return addUser(pooled)
    if (pooled) retire(pooled)
    await makeRoom()
    const other = entries.get(key)
    if (other?.stamp === stamp) return addUser(other)
    const entry: Entry = { key, stamp, opening: open(), users: 1 }
    entries.set(key, entry)
    const retireEntry = () => retire(entry)
    entry.opening.then(({ closed }) => {
      if (closed.aborted) retireEntry()
      else closed.addEventListener('abort', retireEntry, { once: true })
    }, retireEntry)
    return entry
  }
  /** Keeps an unused connection for a while; it is the last to make room for others. */
  const release = (entry: Entry) => {
    if (entries.get(entry.key) !== entry) return void end(entry)
    entries.delete(entry.key)
    entries.set(entry.key, entry)
    entry.idle = setTimeout(() => retire(entry), idle_seconds * 1000).unref()
  }

  return {
    /**
     * Runs work with the connection of this key. One with another stamp, or that work has retired, serves no later
     * work, and is closed when its last user leaves.
     */
    async use<Value>(
      { key, stamp }: { key: string; stamp: string },
      open: () => Promise<Connection>,
      work: (connection: Connection, retire: () => void) => Promise<Value>,
    ): Promise<Value> {
      const entry = await enter(key, stamp, open)
      try {
        return await work(await entry.opening, () => retire(entry))
      } finally {
        entry.users -= 1
        if (entry.users === 0) release(entry)
      }
    },
    /** Closes the connections whose keys begin with a text, also those in use. */
    async drop(prefix: string): Promise<void> {
      const dropped = [...entries.values(), ...leaving].filter((entry) => entry.key.startsWith(prefix))
      for (const entry of dropped) if (entries.get(entry.key) === entry) entries.delete(entry.key)
      await Promise.all(dropped.map(end))
    },
    size: (): number => entries.size,
    async close(): Promise<void> {
      isClosed = true
      const all = [...entries.values(), ...leaving]
      entries.clear()
      await Promise.all(all.map(end))
    },
  }
}
