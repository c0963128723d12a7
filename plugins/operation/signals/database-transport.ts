import { setTimeout as pause } from 'node:timers/promises'
import { type Collection, type FindCursor, MongoServerError, ObjectId } from 'mongodb'
import { isUnavailable, type Logger } from '#plugin-api'
import type { PacketListener, SignalDocument, Transport } from './types.ts'

/** The size of the capped collection, in bytes: old packets make room for new ones. */
const CAPACITY = 1_048_576
/** The time for which a server lets a question for new packets wait, in milliseconds. */
const WAIT_MS = 5000
/** The pause after an empty answer without a wait, as from the embedded engine, in milliseconds. */
const POLL_MS = 250
const RETRY_MS = 1000
/** An answer within this time has not waited, in milliseconds. */
const AT_ONCE_MS = 100
const NAMESPACE_EXISTS = 48
/** A lost packet only costs time, so none has to be in the journal. */
const NOT_IN_JOURNAL = { writeConcern: { w: 1, journal: false } } as const

/** Makes the transport over a capped collection, which a cursor follows in the order of the writes. */
export function createDatabaseTransport(
  { collection, node_id, log }: { collection: Collection<SignalDocument>; node_id: string; log: Logger },
  listener: PacketListener,
): Transport {
  let closing: AbortController | undefined
  let following = Promise.resolve()

  /** Makes the collection and a mark in it, behind which nothing is missed. */
  const mark = async (): Promise<ObjectId> => {
    const options = { capped: true, size: CAPACITY }
    await collection.db.createCollection(collection.collectionName, options).catch((error) => {
      if (!(error instanceof MongoServerError && error.code === NAMESPACE_EXISTS)) throw error
    })
    const _id = new ObjectId()
    await collection.insertOne({ _id, from: node_id, facts: [] }, NOT_IN_JOURNAL)
    return _id
  }

  const next = async (cursor: FindCursor<SignalDocument>, signal: AbortSignal) => {
    const askedAt = performance.now()
    const packet = await cursor.tryNext()
    // Rejects only when aborted, which ends the loop.
    if (!packet && performance.now() - askedAt < AT_ONCE_MS)
      await pause(POLL_MS, undefined, { signal }).catch(() => undefined)
    return packet
  }

  /** Follows the collection behind a mark until the cursor ends; one does, if it falls too far behind. */
  const follow = async (begin: ObjectId, signal: AbortSignal) => {
    let isBehind = true
    const cursor = collection.find(
      {},
      { tailable: true, awaitData: true, maxAwaitTimeMS: WAIT_MS },
    ) as FindCursor<SignalDocument>
    signal.addEventListener('abort', () => void cursor.close().catch(() => undefined), { once: true })
    try {
      while (!signal.aborted && !cursor.closed) {
        const packet = await next(cursor, signal)
        if (!packet) continue
        if (!isBehind && packet.from !== node_id && !signal.aborted) listener.receive(packet)
        if (begin.equals(packet._id)) isBehind = false
      }
    } finally {
      await cursor.close()
    }
  }

  const followAlways = async (first: ObjectId, signal: AbortSignal) => {
    let begin: ObjectId | undefined = first
    while (!signal.aborted) {
      try {
        await follow(begin ?? (await mark()), signal)
      } catch (error) {
        if (!signal.aborted && !isUnavailable(error)) log.warn({ error }, 'the signals must be read anew')
      }
      begin = undefined
      // Rejects only when aborted, which ends the loop.
      await pause(RETRY_MS, undefined, { signal }).catch(() => undefined)
      if (!signal.aborted) listener.missed()
    }
  }

  return {
    async open() {
      const opened = new AbortController()
      closing = opened
      following = followAlways(await mark(), opened.signal)
    },
    async send(packet) {
      await collection.insertOne({ ...packet }, NOT_IN_JOURNAL)
    },
    async close() {
      closing?.abort()
      await following
    },
  }
}
