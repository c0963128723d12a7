import { setTimeout as pause } from 'node:timers/promises'
import type { Collection } from 'mongodb'
import { type Clock, isOnlyDuplicates, isUnavailable, type Logger } from '#kernel'
import { createGroupCommit } from '#toolbox'
import { sanitizeForStorage } from '../sanitize.ts'
import {
  type EventRecord,
  eventId,
  eventRange,
  type FrameFields,
  type FrameType,
  type LedgerEvent,
} from './ledger-event.ts'
import type { ReadEvent } from './ledger-reader.ts'

/** The part of the ledger that one turn writes. */
export interface TurnLog {
  readonly turn_id: string
  /** The durable events in order; the last event of the turn is included once it is settled. */
  readonly committed: readonly LedgerEvent[]
  /** Adds an event; text is merged into the text event before it while that is not yet being written. */
  write<Type extends FrameType>(type: Type, frame: FrameFields[Type], record?: EventRecord): void
  /** Resolves when everything added so far is durable, or the turn has been lost. */
  durable(): Promise<void>
  /** Adds the last event: once it is durable, `settle` runs, and only then do readers see it. */
  finish<Type extends 'done' | 'error' | 'hitl_required'>(
    type: Type,
    frame: FrameFields[Type],
    settle: (events: readonly LedgerEvent[]) => Promise<void>,
    record?: EventRecord,
  ): Promise<void>
}

/** The append-only ledger: events are published only after they are in the journal. */
export interface Ledger {
  /**
   * Opens the log of a turn after `lastSeq`, or reopens it after the events in `before`. `onLost` is called if another
   * process has taken over the turn.
   */
  open(turn: {
    thread_id: string
    turn_id: string
    lastSeq: number
    before?: readonly LedgerEvent[]
    onLost: () => void
  }): TurnLog
  /**
   * Reads events with `after < seq` in order, at most `limit`; events that this process has not settled yet are left
   * out.
   */
  read(thread_id: string, after: number, limit: number): Promise<LedgerEvent[]>
  find(thread_id: string, seq: number): Promise<LedgerEvent | null>
  /** Reads all events of a turn that begins at `firstSeq`. */
  readTurn(thread_id: string, turn_id: string, firstSeq: number): Promise<LedgerEvent[]>
  /** Stores events from elsewhere as the beginning of a thread that nobody writes to yet; returns them as stored. */
  adopt(thread_id: string, events: readonly ReadEvent[]): Promise<LedgerEvent[]>
  remove(thread_id: string): Promise<void>
  /** The reason why nothing can be written at present, if so. */
  readonly failure: Error | undefined
  /** Resolves when nothing is waiting to be written. */
  idle(): Promise<void>
}

/** The depth within an event at which bounded values begin. */
const DEPTH_IN_EVENT = 5
/** The length at which a text event takes no more text, in characters. */
const MAX_MERGED_CHARS = 8192
const RETRY_MS = { first: 50, most: 2000 }

interface Entry {
  event: LedgerEvent
  log: InternalLog
  /** Set once the event is being written and must not change any more. */
  sealed: boolean
}

interface InternalLog extends TurnLog {
  commit(event: LedgerEvent): void
  lose(): void
}

/** Creates the ledger: one writer per process commits the waiting events of all turns. */
export function createLedger({
  events,
  clock,
  log: logger,
  writer,
  publish,
}: {
  events: Collection<LedgerEvent>
  clock: Clock
  log: Logger
  /** Unique to this process. */
  writer: string
  publish: (event: LedgerEvent) => void
}): Ledger {
  let failure: Error | undefined
  /** The keys of last events that are still hidden from readers, because their outcome is not stored. */
  const unsettled = new Set<string>()

  const commits = createGroupCommit<Entry>(async (batch) => {
    for (const entry of batch) entry.sealed = true
    const lost = await insert(batch)
    for (const entry of batch) {
      if (lost.has(entry)) entry.log.lose()
      else entry.log.commit(entry.event)
    }
  })

  /**
   * Writes a batch until it is durable; returns the entries that cannot be written, e.g. because another process took
   * their place.
   */
  const insert = async (batch: Entry[]): Promise<Set<Entry>> => {
    for (let wait = RETRY_MS.first; ; wait = Math.min(wait * 2, RETRY_MS.most)) {
      try {
        await events.insertMany(
          batch.map(({ event }) => event),
          { ordered: false },
        )
        failure = undefined
        return new Set()
      } catch (error) {
        if (isOnlyDuplicates(error)) {
          failure = undefined
          return await foreign(batch)
        }
        logger.error({ error, events: batch.length }, 'the ledger could not be written')
        if (isTransient(error)) {
          failure = error as Error
          await pause(wait)
        } else if (batch.length === 1) return new Set(batch)
        else
          return new Set(
            (await Promise.all(batch.map((entry) => insert([entry])))).flatMap((lost) => [...lost]),
          )
      }
    }
  }

  /**
   * After a retry the events may already be stored: ours are durable, those of another process must not be overwritten.
   */
  const foreign = async (batch: Entry[]): Promise<Set<Entry>> => {
    const stored = await events
      .find({ _id: { $in: batch.map(({ event }) => event._id) } }, { projection: { writer: 1, turn_id: 1 } })
      .toArray()
    const own = new Set(
      stored.filter((event) => event.writer === writer).map(({ _id, turn_id }) => `${_id} ${turn_id}`),
    )
    return new Set(batch.filter(({ event }) => !own.has(`${event._id} ${event.turn_id}`)))
  }

  const open: Ledger['open'] = ({ thread_id, turn_id, lastSeq, before = [], onLost }) => {
    let seq = lastSeq
    let growing: Entry | undefined
    let lost = false
    let last: { event: LedgerEvent; settled: () => void; settle: () => Promise<void> } | undefined
    const committed: LedgerEvent[] = [...before]
    let waiting: { event: LedgerEvent; resolve: () => void }[] = []
    let newest: LedgerEvent | undefined
    let began = before[0]?.ts

    const add = (type: FrameType, frame: FrameFields[FrameType], record?: EventRecord): LedgerEvent => {
      seq += 1
      const event = {
        _id: eventId(thread_id, seq),
        turn_id,
        ts: clock.now(),
        type,
        frame,
        writer,
        ...record,
      } as LedgerEvent
      growing = { event, log, sealed: false }
      newest = event
      began ??= event.ts
      if (!lost) commits.add(growing)
      return event
    }

    const log: InternalLog = {
      turn_id,
      committed,
      write(type, frame, record) {
        // Output of a tool or a model after the end of its turn is not part of the turn.
        if (last) return
        if (grow(growing, type, frame)) return
        add(type, frame, record)
      },
      durable() {
        const event = newest
        if (lost || !event || committed.at(-1) === event) return Promise.resolve()
        return new Promise((resolve) => waiting.push({ event, resolve }))
      },
      finish(type, frame, settle, record) {
        return new Promise((resolve) => {
          const event = add(type, frame, {
            ...record,
            ms: Math.max(0, clock.now() - (began ?? clock.now())),
          })
          last = { event, settled: resolve, settle: () => settle([...committed, event]) }
          if (lost) resolve()
          else unsettled.add(event._id)
        })
      },
      commit(event) {
        waiting = waiting.filter((waiter) => waiter.event !== event || waiter.resolve())
        if (last?.event === event) return void settleLast(event)
        committed.push(event)
        publish(event)
      },
      lose() {
        if (lost) return
        lost = true
        onLost()
        for (const { resolve } of waiting) resolve()
        if (last) unsettled.delete(last.event._id)
        last?.settled()
      },
    }

    const settleLast = async (event: LedgerEvent) => {
      for (let wait = RETRY_MS.first; ; wait = Math.min(wait * 2, RETRY_MS.most)) {
        try {
          await last!.settle()
          break
        } catch (error) {
          logger.error({ error, turn_id }, 'a turn could not be settled; retrying')
          await pause(wait)
        }
      }
      committed.push(event)
      unsettled.delete(event._id)
      publish(event)
      last!.settled()
    }
    return log
  }

  return {
    open,
    async read(thread_id, after, limit) {
      const found = await events.find(eventRange(thread_id, after)).sort({ _id: 1 }).limit(limit).toArray()
      return found.filter(({ _id }) => !unsettled.has(_id)) as LedgerEvent[]
    },
    find: (thread_id, seq) => events.findOne({ _id: eventId(thread_id, seq) }) as Promise<LedgerEvent | null>,
    readTurn: (thread_id, turn_id, firstSeq) =>
      events
        .find({ ...eventRange(thread_id, firstSeq - 1), turn_id })
        .sort({ _id: 1 })
        .toArray() as Promise<LedgerEvent[]>,
    async adopt(thread_id, foreign) {
      const adopted = foreign.map(({ seq, ...event }) => ({
        ...(sanitizeForStorage(event, -DEPTH_IN_EVENT) as typeof event),
        _id: eventId(thread_id, seq),
        writer,
      })) as LedgerEvent[]
      await events.insertMany(adopted)
      return adopted
    },
    async remove(thread_id) {
      await events.deleteMany(eventRange(thread_id))
    },
    get failure() {
      return failure
    },
    idle: commits.idle,
  }
}

/** Merges text into the event before it, if that is still waiting and belongs to the same message. */
function grow(entry: Entry | undefined, type: FrameType, frame: FrameFields[FrameType]): boolean {
  if (!entry || entry.sealed || entry.event.type !== type) return false
  if (type !== 'content' && type !== 'reasoning') return false
  const before = entry.event.frame as FrameFields['content']
  const { message_id, content } = frame as FrameFields['content']
  if (before.message_id !== message_id || before.content.length + content.length > MAX_MERGED_CHARS)
    return false
  before.content += content
  return true
}

/** ShutdownInProgress, InterruptedAtShutdown, InterruptedDueToReplStateChange, NotWritablePrimary, PrimarySteppedDown. */
const SHUTDOWN_CODES = new Set([91, 11600, 11602, 10107, 189])

/** True if a retry can help: the database is unavailable, restarting or stepping down. */
const isTransient = (error: unknown): boolean =>
  isUnavailable(error) ||
  (error as { hasErrorLabel?(label: string): boolean }).hasErrorLabel?.('RetryableWriteError') === true ||
  SHUTDOWN_CODES.has((error as { code?: number }).code ?? 0)
