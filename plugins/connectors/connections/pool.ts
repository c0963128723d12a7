import type { Connection } from './connection.ts'
import { ConnectorFailure } from './failure.ts'

/** The most connections of this process. */
const MAX_OPEN = 256

interface Entry {
  /** Names the settings and credentials that the connection was opened with. */
  stamp: string
  opening: Promise<Connection>
  /** The number of those who use it. */
  users: number
  idle?: NodeJS.Timeout
}

/** The open connections: opened when first needed, shared, and closed when nobody has used them for a while. */
export interface ConnectionPool {
  /** Runs work with the connection of this key; one with another stamp is closed as soon as nobody uses it. */
  use<Value>(
    key: { key: string; stamp: string },
    open: () => Promise<Connection>,
    work: (connection: Connection) => Promise<Value>,
  ): Promise<Value>
  /** Closes the connections whose keys begin with a text, also those in use. */
  drop(prefix: string): Promise<void>
  size(): number
  close(): Promise<void>
}

/** Creates an empty pool. */
export function createConnectionPool({ idle_seconds }: { idle_seconds: number }): ConnectionPool {
  const entries = new Map<string, Entry>()
  const leaving = new Set<Entry>()
  let isClosed = false

  const end = async (entry: Entry) => {
    clearTimeout(entry.idle)
    leaving.delete(entry)
    await entry.opening.then((connection) => connection.close()).catch(() => undefined)
  }
  const remove = (key: string, entry: Entry) => {
    if (entries.get(key) === entry) entries.delete(key)
  }
  const makeRoom = async () => {
    if (entries.size < MAX_OPEN) return
    const unused = [...entries].find(([, { users }]) => users === 0)
    if (!unused) throw new ConnectorFailure('unavailable', 'Too many connections to servers are in use.')
    remove(...unused)
    await end(unused[1])
  }
  const taken = (entry: Entry) => {
    clearTimeout(entry.idle)
    entry.users += 1
    return entry
  }
  /** Returns the entry with one user more. */
  const enter = async (key: string, stamp: string, open: () => Promise<Connection>): Promise<Entry> => {
    if (isClosed) throw new ConnectorFailure('unavailable', 'The server is shutting down.')
    const found = entries.get(key)
    if (found?.stamp === stamp) return taken(found)
    if (found) {
      remove(key, found)
      if (found.users === 0) void end(found)
      else leaving.add(found)
    }
    await makeRoom()
    const other = entries.get(key)
    if (other?.stamp === stamp) return taken(other)
    const entry: Entry = { stamp, opening: open(), users: 1 }
    entries.set(key, entry)
    entry.opening.then(
      (connection) => {
        const forget = () => remove(key, entry)
        if (connection.closed.aborted) forget()
        else connection.closed.addEventListener('abort', forget, { once: true })
      },
      () => remove(key, entry),
    )
    return entry
  }

  return {
    async use({ key, stamp }, open, work) {
      const entry = await enter(key, stamp, open)
      try {
        return await work(await entry.opening)
      } finally {
        entry.users -= 1
        if (entry.users === 0) {
          if (entries.get(key) !== entry) void end(entry)
          else
            entry.idle = setTimeout(() => {
              remove(key, entry)
              void end(entry)
            }, idle_seconds * 1000).unref()
        }
      }
    },
    async drop(prefix) {
      const dropped = [...entries].filter(([key]) => key.startsWith(prefix))
      for (const [key] of dropped) entries.delete(key)
      await Promise.all(dropped.map(([, entry]) => end(entry)))
    },
    size: () => entries.size,
    async close() {
      isClosed = true
      const all = [...entries.values(), ...leaving]
      entries.clear()
      await Promise.all(all.map(end))
    },
  }
}
