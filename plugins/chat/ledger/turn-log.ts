import type { Collection } from 'mongodb'
import { type Clock, isDuplicateKey, isUnavailable, type Logger } from '#kernel'
import type { JointWriter, Write, WriteRequest } from '#toolbox'
import {
  type EventRecord,
  eventId,
  type FrameFields,
  type FrameType,
  type LedgerEvent,
} from './ledger-event.ts'
import type { Pace } from './pace.ts'

/** The part of the ledger that one turn writes. */
export interface TurnLog {
  readonly turn_id: string
  /** The durable events in order; the last event of the turn is included once its outcome is stored. */
  readonly committed: readonly LedgerEvent[]
  /** Adds an event; text is merged into the text event before it while that is not yet being written. */
  write<Type extends FrameType>(type: Type, frame: FrameFields[Type], record?: EventRecord): void
  /**
   * Resolves when everything added so far is durable, or the turn has been lost; text that is held back is written at
   * once if it is `urgent`, which is the default.
   */
  durable(how?: { urgent: boolean }): Promise<void>
  /** Adds the last event, which is stored together with the outcome of the turn; only then do readers see it. */
  finish<Type extends 'done' | 'error' | 'hitl_required'>(
    type: Type,
    frame: FrameFields[Type],
    outcome: Outcome,
    record?: EventRecord,
  ): Promise<void>
}

/** The outcome of a turn that ends or pauses, which follows from its events. */
export interface Outcome {
  /** Returns the writes that store the outcome; may be called and made again. */
  writes(events: readonly LedgerEvent[]): readonly Write[]
  /** Called once the outcome is durable, before readers see the last event. */
  stored(events: readonly LedgerEvent[]): void
  /** Returns the error that the turn ends with if its outcome can never be stored. */
  refused(error: unknown): FrameFields['error']
}

/** The place of a turn in the ledger: after `lastSeq`, or after the events in `before`. */
export interface LogPlace {
  thread_id: string
  turn_id: string
  lastSeq: number
  before?: readonly LedgerEvent[]
  /** Called if another process has taken over the turn. */
  onLost: () => void
}

/** The parts that all logs of a process share. */
export interface LogParts {
  events: Collection<LedgerEvent>
  clock: Clock
  log: Logger
  jointWriter: JointWriter
  pace: Pace
  /** Unique to this process. */
  writer: string
  publish(event: LedgerEvent): void
  /** The keys of last events that are hidden from readers, because their outcome is not stored. */
  unsettled: Set<string>
  /** Notes why nothing can be written at present; undefined when a write has succeeded. */
  noteFailure(failure: Error | undefined): void
}

/** The length at which a text event takes no more text, in characters. */
const MAX_MERGED_CHARS = 8192
const RETRY_MS = { first: 50, most: 2000 }

/** Opens the log of a turn. Its events are written in order, those that wait at the same time together. */
export function openTurnLog(
  { thread_id, turn_id, lastSeq, before = [], onLost }: LogPlace,
  { events, clock, log: logger, jointWriter, pace, writer, publish, unsettled, noteFailure }: LogParts,
): TurnLog {
  const committed: LedgerEvent[] = [...before]
  /** Events that are not yet being written; the last one may still take text. */
  let waiting: LedgerEvent[] = []
  /** Events that are being written, and those of them that an attempt has written already. */
  let sent: LedgerEvent[] = []
  const written = new Set<LedgerEvent>()
  let seq = lastSeq
  let began = before[0]?.ts
  /** The message whose first text has been sent. */
  let spoken: string | undefined
  let isRequested = false
  /** True if more has to be written as soon as the present write succeeds. */
  let isUrgent = false
  let isLost = false
  let retryMs = RETRY_MS.first
  let last: { event: LedgerEvent; outcome: Outcome; isRefused: boolean; resolve(): void } | undefined
  let waiters: { event: LedgerEvent; resolve(): void }[] = []

  const toEvent = (type: FrameType, frame: FrameFields[FrameType], record?: EventRecord) =>
    ({
      _id: eventId(thread_id, seq),
      turn_id,
      ts: clock.now(),
      type,
      frame,
      writer,
      ...record,
    }) as LedgerEvent

  const add = (type: FrameType, frame: FrameFields[FrameType], record?: EventRecord): LedgerEvent => {
    seq += 1
    const event = toEvent(type, frame, record)
    waiting.push(event)
    began ??= event.ts
    return event
  }

  const request = () => {
    if (isRequested) isUrgent = true
    if (isRequested || isLost || sent.length + waiting.length === 0) return
    isRequested = true
    jointWriter.add(writing)
  }

  const isLast = (events: readonly LedgerEvent[]) => last !== undefined && events.at(-1) === last.event
  const allEvents = () =>
    last!.isRefused ? [committed[0] ?? sent[0]!, last!.event] : [...committed, ...sent]

  const writing: WriteRequest = {
    collect() {
      if (sent.length === 0) {
        sent = waiting
        waiting = []
        isUrgent = false
      }
      const inserts = sent.filter((event) => !written.has(event)).map((event) => toInsert(event, events))
      return isLast(sent) ? [...inserts, ...outcomeWrites()] : inserts
    },
    written() {
      isRequested = false
      retryMs = RETRY_MS.first
      noteFailure(undefined)
      const events = sent
      const isEnd = isLast(events)
      if (isEnd) last!.outcome.stored(allEvents())
      sent = []
      written.clear()
      for (const event of events) {
        unsettled.delete(event._id)
        committed.push(event)
        publish(event)
      }
      waiters = waiters.filter(({ event, resolve }) => !events.includes(event) || resolve())
      if (isEnd) last!.resolve()
      else if (isUrgent) request()
    },
    failed(error) {
      if (isDuplicateKey(error)) return void takeOver(error)
      logger.error({ error, turn_id, events: sent.length }, 'the ledger could not be written')
      if (isTransient(error)) {
        noteFailure(error as Error)
        retry()
      } else refuse(error)
    },
  }

  const outcomeWrites = (): readonly Write[] => {
    const { event, outcome, isRefused } = last!
    return [...(isRefused ? [toReplacement(event, events)] : []), ...outcome.writes(allEvents())]
  }

  const requestAgain = () => {
    isRequested = false
    request()
  }

  const retry = () => {
    setTimeout(requestAgain, retryMs)
    retryMs = Math.min(retryMs * 2, RETRY_MS.most)
  }

  /** After a lost answer, events may be there already: ours are durable, those of others must not be overwritten. */
  const takeOver = async (error: unknown): Promise<void> => {
    try {
      const ids = sent.map(({ _id }) => _id)
      const projection = { writer: 1, turn_id: 1 }
      const found = await events.find({ _id: { $in: ids } }, { projection }).toArray()
      if (found.some((event) => event.writer !== writer || event.turn_id !== turn_id)) return lose()
      const isNews = found.length > written.size
      for (const { _id } of found) written.add(sent[ids.indexOf(_id)]!)
      if (isNews) requestAgain()
      else refuse(error)
    } catch (failure) {
      logger.error({ error: failure, turn_id }, 'the ledger could not be read')
      retry()
    }
  }

  /** Ends the turn with an error in place of its end; it is lost if its events themselves are refused. */
  const refuse = (error: unknown) => {
    if (!last || last.isRefused || !isLast(sent)) return lose()
    logger.error({ error, turn_id }, 'the outcome of a turn cannot be stored')
    const event = { ...toEvent('error', last.outcome.refused(error)), _id: last.event._id } as LedgerEvent
    last = { ...last, event, isRefused: true }
    sent[sent.length - 1] = event
    written.add(event)
    requestAgain()
  }

  const lose = () => {
    if (isLost) return
    isLost = true
    onLost()
    for (const { resolve } of waiters) resolve()
    if (last) unsettled.delete(last.event._id)
    last?.resolve()
  }

  return {
    turn_id,
    committed,
    write(type, frame, record) {
      // Output of a tool or a model after the end of its turn is not part of the turn.
      if (last) return
      const isText = type === 'content' || type === 'reasoning'
      if (isText && grow(waiting.at(-1), type, frame as FrameFields['content'])) return
      add(type, frame, record)
      // The beginning of a turn can wait for the first text, which is then written with it.
      if (type === 'turn_started' || (isText && spoken === (frame as FrameFields['content']).message_id))
        return pace.later(request)
      if (isText) spoken = (frame as FrameFields['content']).message_id
      request()
    },
    durable({ urgent } = { urgent: true }) {
      const event = waiting.at(-1) ?? sent.at(-1)
      if (isLost || !event) return Promise.resolve()
      if (urgent) request()
      return new Promise((resolve) => waiters.push({ event, resolve }))
    },
    finish: (type, frame, outcome, record) =>
      new Promise((resolve) => {
        const event = add(type, frame, { ...record, ms: Math.max(0, clock.now() - (began ?? clock.now())) })
        last = { event, outcome, isRefused: false, resolve }
        if (isLost) return resolve()
        unsettled.add(event._id)
        request()
      }),
  }
}

const toInsert = (document: LedgerEvent, { namespace }: Collection<LedgerEvent>): Write => ({
  name: 'insertOne',
  namespace,
  document,
})

/** Returns the write that puts an event in the place of another one. */
export const toReplacement = (event: LedgerEvent, { namespace }: Collection<LedgerEvent>): Write => ({
  name: 'replaceOne',
  namespace,
  filter: { _id: event._id },
  replacement: event,
  upsert: true,
})

/** Merges text into the event before it, if that belongs to the same message. */
function grow(before: LedgerEvent | undefined, type: FrameType, text: FrameFields['content']): boolean {
  if (before?.type !== type) return false
  const frame = before.frame as FrameFields['content']
  if (frame.message_id !== text.message_id || frame.content.length + text.content.length > MAX_MERGED_CHARS)
    return false
  frame.content += text.content
  return true
}

/** ShutdownInProgress, InterruptedAtShutdown, InterruptedDueToReplStateChange, NotWritablePrimary, PrimarySteppedDown. */
const SHUTDOWN_CODES = new Set([91, 11600, 11602, 10107, 189])

/** True if a retry can help: the database is unavailable, restarting or stepping down, or could not replicate a write. */
export function isTransient(error: unknown): boolean {
  const { cause, writeConcernErrors } = error as { cause?: unknown; writeConcernErrors?: readonly unknown[] }
  return (
    isUnavailable(error) ||
    (writeConcernErrors !== undefined && writeConcernErrors.length > 0) ||
    (error as { hasErrorLabel?(label: string): boolean }).hasErrorLabel?.('RetryableWriteError') === true ||
    SHUTDOWN_CODES.has((error as { code?: number }).code ?? 0) ||
    (cause !== undefined && isTransient(cause))
  )
}
