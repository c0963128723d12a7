import { type LedgerEvent, seqOf, threadOf } from './ledger-event.ts'

/** Reads the events of one thread as they become durable. */
export interface Reader {
  user_id: string
  deliver(event: LedgerEvent, seq: number): void
}

/** Hands each durable event to the readers of its thread in this process. */
export interface Hub {
  publish(event: LedgerEvent): void
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
