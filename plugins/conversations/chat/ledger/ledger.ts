import type { Collection, Filter } from 'mongodb'
import { type Clock, jointWriterOf, type Logger } from '#plugin-api'
import { sanitizeForStorage } from '../sanitize.ts'
import type { Hub } from './hub.ts'
import { eventId, eventRange, type LedgerEvent } from './ledger-event.ts'
import type { ReadEvent } from './ledger-reader.ts'
import { type LogParts, type LogPlace, openTurnLog, type TurnLog } from './turn-log.ts'

/** The depth within an event at which bounded values begin. */
const DEPTH_IN_EVENT = 5

/** The append-only ledger: events are published only after they are in the journal. */
export type Ledger = ReturnType<typeof createLedger>

/** Creates the ledger. */
export function createLedger({
  events,
  publisherOf,
  ...parts
}: {
  events: Collection<LedgerEvent>
  clock: Clock
  log: Logger
  /** Unique to this process. */
  writer: string
  /** Returns the function that shows the events of a thread to readers. */
  publisherOf: Hub['publisherOf']
}) {
  const health: LogParts['health'] = { failure: undefined }
  const unsettled = new Set<string>()
  const jointWriter = jointWriterOf(events)
  const shared = { ...parts, events, jointWriter, unsettled, health }

  const readSettled = async (filter: Filter<LedgerEvent>, limit: number) => {
    const storedEvents = await events.find(filter).sort({ _id: 1 }).limit(limit).toArray()
    return storedEvents.filter(({ _id }) => !unsettled.has(_id)) as LedgerEvent[]
  }

  return {
    /** Opens the log of a turn, or opens it again after `earlierEvents`. */
    open: (start: LogPlace): TurnLog =>
      openTurnLog(start, { ...shared, publish: publisherOf(start.thread_id) }),
    /**
     * Reads events with `after < seq` in order, at most `limit`; events that this process has not settled yet are left
     * out.
     */
    read: (thread_id: string, after: number, limit: number): Promise<LedgerEvent[]> =>
      readSettled(eventRange(thread_id, after), limit),
    /** Reads events behind a seq of each thread, in the order of their threads and seqs. */
    readBehind(positions: ReadonlyMap<string, number>, limit: number): Promise<LedgerEvent[]> {
      const ranges = [...positions].map(([thread_id, after]) => eventRange(thread_id, after))
      return readSettled({ $or: ranges }, limit)
    },
    /** Returns the readers behind whose position the ledger has no event, as it was when this was called. */
    async listMissing<Reader extends { thread_id: string; position: number }>(
      readers: readonly Reader[],
    ): Promise<Reader[]> {
      // A reader moves on while the ledger is read.
      const ids = readers.map(({ thread_id, position }) => eventId(thread_id, position))
      const stored = await events.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray()
      const storedIds = new Set(stored.map(({ _id }) => _id))
      return readers.filter((_, index) => !storedIds.has(ids[index]!))
    },
    find: (thread_id: string, seq: number): Promise<LedgerEvent | null> =>
      events.findOne({ _id: eventId(thread_id, seq) }) as Promise<LedgerEvent | null>,
    /** Reads all events of a turn that begins at `firstSeq`. */
    readTurn: (thread_id: string, turn_id: string, firstSeq: number): Promise<LedgerEvent[]> =>
      events
        .find({ ...eventRange(thread_id, firstSeq - 1), turn_id })
        .sort({ _id: 1 })
        .toArray() as Promise<LedgerEvent[]>,
    /** Stores events from elsewhere as the beginning of a thread that nobody writes to yet; returns them as stored. */
    async adopt(thread_id: string, foreign: readonly ReadEvent[]): Promise<LedgerEvent[]> {
      const adopted = foreign.map(({ seq, ...event }) => ({
        ...(sanitizeForStorage(event, -DEPTH_IN_EVENT) as typeof event),
        _id: eventId(thread_id, seq),
        writer: parts.writer,
      })) as LedgerEvent[]
      await events.insertMany(adopted)
      return adopted
    },
    async remove(thread_id: string): Promise<void> {
      await events.deleteMany(eventRange(thread_id))
    },
    /** The reason why nothing can be written at present, if so. */
    get failure(): Error | undefined {
      return health.failure
    },
    /** Resolves when nothing is waiting to be written. */
    idle: jointWriter.idle,
  }
}
