import type { Collection } from 'mongodb'
import {
  afterBeat,
  type Clock,
  isDuplicateKey,
  type JointWriter,
  type Logger,
  toRepeatable,
  type Write,
  type WriteRequest,
} from '#plugin-api'
import type { Hub } from './hub.ts'
import {
  type EventRecord,
  eventId,
  type FrameFields,
  type FrameType,
  type LedgerEvent,
} from './ledger-event.ts'
import { isTransient } from './transient.ts'

/** The events of one turn, as its steps add them. */
export interface EventLog {
  readonly turn_id: string
  /** The durable events in order; the last event of the turn is included once it is published. */
  readonly committed: readonly LedgerEvent[]
  /** Adds an event; text is merged into the text event before it while that is not yet being written. */
  write<Type extends FrameType>(type: Type, frame: FrameFields[Type], record?: EventRecord): void
}

/** The part of the ledger that one turn writes. */
export interface TurnLog extends EventLog {
  /** Resolves if another process has taken over the turn; nothing more is written then. */
  readonly lost: Promise<void>
  /**
   * Resolves to true when everything added so far is durable, and to false if the turn has been lost; text that is held
   * back is written at once if it is `urgent`, which is the default.
   */
  durable(how?: { urgent: boolean }): Promise<boolean>
  /** Makes the last event of the turn before its end or its pause; events that are added later are ignored. */
  finish<Type extends 'done' | 'error' | 'hitl_required' | 'path_changed'>(
    type: Type,
    frame: FrameFields[Type],
    record?: EventRecord,
  ): Settlement
}

/** The last event of a turn, which readers see only after everything that follows from it is stored. */
export interface Settlement {
  /** All events of the turn, this one included. */
  readonly events: readonly LedgerEvent[]
  /**
   * Stores the event and these writes in one command, documents that are new by inserts; false if the turn has been lost.
   * Rejects if the database will never accept the writes; the event is then stored and has to be replaced.
   */
  store(writes: readonly Write[]): Promise<boolean>
  /** Puts an error in the place of the event, which has to be stored again. */
  replace(frame: FrameFields['error']): Settlement
  /** Shows the stored event to readers. */
  publish(): void
}

/** The place of a turn in the ledger: after `lastSeq`, or after `earlierEvents`. */
export interface LogPlace {
  thread_id: string
  turn_id: string
  lastSeq: number
  earlierEvents?: readonly LedgerEvent[]
  /** Writes that are made in the command of the first event, before it; they may be repeated. */
  opening?: readonly Write[]
}

/** The parts that all logs of a process share. */
export interface LogParts {
  events: Collection<LedgerEvent>
  clock: Clock
  log: Logger
  jointWriter: JointWriter
  /** Unique to this process. */
  writer: string
  publish: ReturnType<Hub['publisherOf']>
  /** The keys of last events that are hidden from readers, because their outcome is not stored. */
  unsettled: Set<string>
  /** The reason why nothing can be written at present; undefined once a write has succeeded. */
  health: { failure: Error | undefined }
}

/** The length at which a text event takes no more text, in characters. */
const MAX_MERGED_CHARS = 8192
const RETRY_MS = { first: 50, most: 2000 }

/** Opens the log of a turn. Its events are written in order, those that wait at the same time together. */
export function openTurnLog(
  { thread_id, turn_id, lastSeq, earlierEvents = [], opening = [] }: LogPlace,
  { events, clock, log: logger, jointWriter, writer, publish, unsettled, health }: LogParts,
): TurnLog {
  const committed: LedgerEvent[] = [...earlierEvents]
  /** Events that are not yet being written; the last one may still take text. */
  let waiting: LedgerEvent[] = []
  /** Events that are being written, and the events among them that an attempt has written already. */
  let sent: LedgerEvent[] = []
  const written = new Set<LedgerEvent>()
  /** The seq of the newest event, and of the newest one that readers see. */
  let seq = lastSeq
  let publishedSeq = lastSeq
  let began = earlierEvents[0]?.ts
  /** The message whose first text has been sent. */
  let spoken: string | undefined
  let isOpened = false
  let isRequested = false
  /** True if more has to be written as soon as the present write succeeds. */
  let isUrgent = false
  let isLost = false
  /** True once a command has failed, parts of which may have been made. */
  let hasFailed = false
  let retryMs = RETRY_MS.first
  /** True once the last event is made. */
  let isFinished = false
  /** The last event, once it is to be stored with `writes`. */
  let last: { event: LedgerEvent; writes: readonly Write[]; isRefused: boolean; settled: Settled } | undefined
  let waiters: { event: LedgerEvent; resolve(isDurable: boolean): void }[] = []
  let announceLoss = () => {}
  const lost = new Promise<void>((resolve) => {
    announceLoss = resolve
  })

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

  const request = () => {
    if (isRequested) isUrgent = true
    if (isRequested || isLost || sent.length + waiting.length === 0) return
    isRequested = true
    jointWriter.add(writing)
  }

  const isLast = (events: readonly LedgerEvent[]) => last !== undefined && events.at(-1) === last.event

  const writing: WriteRequest = {
    collect() {
      if (sent.length === 0) {
        sent = waiting
        waiting = []
        isUrgent = false
      }
      const writes: Write[] = isOpened ? [] : [...opening]
      for (const document of sent)
        if (!written.has(document)) writes.push({ name: 'insertOne', namespace: events.namespace, document })
      if (last === undefined || !isLast(sent)) return writes
      if (last.isRefused) writes.push(toReplacement(last.event, events))
      // An insert costs the database a third of an upsert.
      writes.push(...(hasFailed ? last.writes.map(toRepeatable) : last.writes))
      return writes
    },
    written() {
      isOpened = true
      isRequested = false
      retryMs = RETRY_MS.first
      health.failure = undefined
      const events = sent
      const end = last !== undefined && isLast(events) ? last : undefined
      sent = []
      written.clear()
      for (const event of events) {
        if (event === end?.event) break
        committed.push(event)
        publishedSeq += 1
        publish(event, publishedSeq)
      }
      if (waiters.length > 0)
        waiters = waiters.filter(({ event, resolve }) => !events.includes(event) || resolve(true))
      if (end) end.settled.resolve(true)
      else if (isUrgent) request()
    },
    failed(error) {
      hasFailed = true
      if (isDuplicateKey(error)) return void takeOver(error)
      logger.error({ error, turn_id, events: sent.length }, 'the ledger could not be written')
      if (isTransient(error)) {
        health.failure = error as Error
        retry()
      } else refuse(error)
    },
  }

  const requestAgain = () => {
    isRequested = false
    request()
  }

  const retry = () => {
    setTimeout(requestAgain, retryMs)
    retryMs = Math.min(retryMs * 2, RETRY_MS.most)
  }

  /** After a lost answer, events may be stored already: ours are durable, foreign ones must not be overwritten. */
  const takeOver = async (error: unknown): Promise<void> => {
    try {
      const ids = sent.map(({ _id }) => _id)
      const projection = { writer: 1, turn_id: 1 }
      const storedEvents = await events.find({ _id: { $in: ids } }, { projection }).toArray()
      if (storedEvents.some((event) => event.writer !== writer || event.turn_id !== turn_id)) return lose()
      const isNews = storedEvents.length > written.size
      for (const { _id } of storedEvents) written.add(sent[ids.indexOf(_id)]!)
      if (isNews) requestAgain()
      else refuse(error)
    } catch (failure) {
      logger.error({ error: failure, turn_id }, 'the ledger could not be read')
      retry()
    }
  }

  /** Reports that what follows from the last event is refused; the turn is lost if its events themselves are. */
  const refuse = (error: unknown) => {
    if (last && !last.isRefused && isLast(sent)) last.settled.reject(error)
    else lose()
  }

  const lose = () => {
    if (isLost) return
    isLost = true
    announceLoss()
    for (const { resolve } of waiters) resolve(false)
    if (last) unsettled.delete(last.event._id)
    last?.settled.resolve(false)
  }

  const toSettlement = (event: LedgerEvent, all: readonly LedgerEvent[], isRefused = false): Settlement => ({
    events: all,
    store: (writes) =>
      new Promise((resolve, reject) => {
        if (isLost) return resolve(false)
        last = { event, writes, isRefused, settled: { resolve, reject } }
        unsettled.add(event._id)
        if (isRefused) return requestAgain()
        waiting.push(event)
        request()
      }),
    replace(frame) {
      const error = { ...toEvent('error', frame), _id: event._id } as LedgerEvent
      sent[sent.length - 1] = error
      written.add(error)
      return toSettlement(error, [all[0]!, error], true)
    },
    publish() {
      unsettled.delete(event._id)
      committed.push(event)
      publish(event, seq)
    },
  })

  return {
    turn_id,
    committed,
    lost,
    write(type, frame, record) {
      // Output of a tool or a model after the end of its turn is not part of the turn.
      if (isFinished) return
      const isText = type === 'content' || type === 'reasoning'
      const previous = isText ? waiting.at(-1) : undefined
      if (previous?.type === type && grow(previous, frame as FrameFields['content'])) return
      seq += 1
      const event = toEvent(type, frame, record)
      waiting.push(event)
      began ??= event.ts
      // The beginning of a turn can wait for the first text, which is then written with it.
      if (type === 'turn_started' || (isText && spoken === (frame as FrameFields['content']).message_id))
        return afterBeat(request)
      if (isText) spoken = (frame as FrameFields['content']).message_id
      request()
    },
    durable({ urgent } = { urgent: true }) {
      const event = waiting.at(-1) ?? sent.at(-1)
      if (isLost || !event) return Promise.resolve(!isLost)
      if (urgent) request()
      return new Promise((resolve) => waiters.push({ event, resolve }))
    },
    finish(type, frame, record) {
      isFinished = true
      seq += 1
      const event = toEvent(type, frame, { ...record, ms: Math.max(0, clock.now() - (began ?? clock.now())) })
      return toSettlement(event, [...committed, ...sent, ...waiting, event])
    },
  }
}

interface Settled {
  resolve(isStored: boolean): void
  reject(error: unknown): void
}

/** Returns the write that puts an event in the place of another one. */
export const toReplacement = (document: LedgerEvent, { namespace }: Collection<LedgerEvent>): Write =>
  toRepeatable({ name: 'insertOne', namespace, document })

/** Merges text into the event before it, if that belongs to the same message. */
function grow(event: LedgerEvent, text: FrameFields['content']): boolean {
  const frame = event.frame as FrameFields['content']
  if (frame.message_id !== text.message_id || frame.content.length + text.content.length > MAX_MERGED_CHARS)
    return false
  frame.content += text.content
  return true
}
