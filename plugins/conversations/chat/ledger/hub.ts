import type { Topics } from '../../../operation/signals/types.ts'
import { type LedgerEvent, seqOf, threadOf } from './ledger-event.ts'

/** Names the topic of a thread, on which processes send its durable events to each other. */
const topicOf = (thread_id: string): string => `thread.${thread_id.replace(/[^\w-]/g, '_')}`

/** A reader of one thread's events, which it receives as they become durable. */
export interface Reader {
  user_id: string
  deliver(event: LedgerEvent, seq: number): void
  /** Receives a frame that belongs to no turn. */
  send(text: string): void
  /** Announces that another process may run a turn of the thread, or has written up to `last_seq`. */
  expectOthers(last_seq?: number): void
}

/** Delivers each durable event to the readers of its thread in this process. */
export type Hub = ReturnType<typeof createHub>

/** Creates a hub without readers. It listens to the events of other processes for the threads that are read here. */
export function createHub({ listen, tell }: Topics) {
  const threads = new Map<string, Set<Reader>>()
  const leaves = new Map<string, () => void>()

  const deliver = (event: LedgerEvent) => {
    const seq = seqOf(event)
    for (const reader of threads.get(threadOf(event)) ?? []) reader.deliver(event, seq)
  }

  return {
    /** Delivers an event of another process to the readers of its thread. */
    deliver,
    /** Returns the function that delivers the events of a thread that runs here to its readers in all processes. */
    publisherOf(thread_id: string) {
      const topic = topicOf(thread_id)
      return (event: LedgerEvent, seq: number): void => {
        for (const reader of threads.get(thread_id) ?? []) reader.deliver(event, seq)
        tell?.(topic, event)
      }
    },
    /** Sends the readers of a thread a frame that belongs to no turn. */
    send(thread_id: string, frame: object) {
      const text = JSON.stringify(frame)
      for (const reader of threads.get(thread_id) ?? []) reader.send(text)
    },
    /**
     * Announces to the readers of a thread that another process may run its turn, or has written up to `last_seq`, or has
     * removed the thread.
     */
    expectOthers(thread_id: string, last_seq?: number) {
      for (const reader of threads.get(thread_id) ?? []) reader.expectOthers(last_seq)
    },
    /** Lists the threads with readers. */
    threads: () => [...threads.keys()],
    add(thread_id: string, reader: Reader) {
      const readers = threads.get(thread_id)
      if (readers) return void readers.add(reader)
      threads.set(thread_id, new Set([reader]))
      const leave = listen(topicOf(thread_id), (event) => deliver(event as LedgerEvent))
      leaves.set(thread_id, leave)
    },
    remove(thread_id: string, reader: Reader) {
      const readers = threads.get(thread_id)
      readers?.delete(reader)
      if (readers?.size !== 0) return
      threads.delete(thread_id)
      leaves.get(thread_id)?.()
      leaves.delete(thread_id)
    },
    /** True if any connection of this user reads the thread. */
    isReading: (thread_id: string, user_id: string) =>
      [...(threads.get(thread_id) ?? [])].some((reader) => reader.user_id === user_id),
  }
}
