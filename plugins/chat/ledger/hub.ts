import { type LedgerEvent, seqOf, threadOf } from './ledger-event.ts'

/** Reads the events of one thread as they become durable. */
export interface Reader {
  user_id: string
  deliver(event: LedgerEvent, seq: number): void
  /** Takes a frame that is part of no turn. */
  tell?(text: string): void
  /** Hears that a turn waits for the thread, which any process may start. */
  expect?(): void
}

/** Hands each durable event to the readers of its thread in this process. */
export interface Hub {
  publish(event: LedgerEvent): void
  /** Sends the readers of a thread a frame that is part of no turn. */
  tell(thread_id: string, frame: object): void
  /** Tells the readers of a thread that a turn waits for it. */
  expect(thread_id: string): void
  add(thread_id: string, reader: Reader): void
  remove(thread_id: string, reader: Reader): void
  /** Whether any connection of that user reads the thread. */
  isReading(thread_id: string, user_id: string): boolean
}

/** Makes a hub with no readers. */
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
