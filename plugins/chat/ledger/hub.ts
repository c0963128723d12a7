import { type LedgerEvent, seqOf, threadOf } from './ledger-event.ts'

/** A reader of one thread's events, which it receives as they become durable. */
export interface Reader {
  user_id: string
  deliver(event: LedgerEvent, seq: number): void
  /** Receives a frame that belongs to no turn. */
  tell?(text: string): void
  /** Announces that a turn is queued for the thread, which any process may start. */
  expect?(): void
}

/** Delivers each durable event to the readers of its thread in this process. */
export interface Hub {
  publish(event: LedgerEvent): void
  /** Sends the readers of a thread a frame that belongs to no turn. */
  tell(thread_id: string, frame: object): void
  /** Announces to the readers of a thread that a turn is queued for it. */
  expect(thread_id: string): void
  add(thread_id: string, reader: Reader): void
  remove(thread_id: string, reader: Reader): void
  /** True if any connection of this user reads the thread. */
  isReading(thread_id: string, user_id: string): boolean
}

/** Creates a hub without readers. */
export function createHub(): Hub {
  const threads = new Map<string, Set<Reader>>()
  return {
    publish(event) {
      const readers = threads.get(threadOf(event))
      if (!readers) return
      const seq = seqOf(event)
      for (const reader of readers) reader.deliver(event, seq)
    },
    tell(thread_id, frame) {
      const text = JSON.stringify(frame)
      for (const reader of threads.get(thread_id) ?? []) reader.tell?.(text)
    },
    expect(thread_id) {
      for (const reader of threads.get(thread_id) ?? []) reader.expect?.()
    },
    add(thread_id, reader) {
      const readers = threads.get(thread_id)
      if (readers) readers.add(reader)
      else threads.set(thread_id, new Set([reader]))
    },
    remove(thread_id, reader) {
      const readers = threads.get(thread_id)
      readers?.delete(reader)
      if (readers?.size === 0) threads.delete(thread_id)
    },
    isReading: (thread_id, user_id) =>
      [...(threads.get(thread_id) ?? [])].some((reader) => reader.user_id === user_id),
  }
}
