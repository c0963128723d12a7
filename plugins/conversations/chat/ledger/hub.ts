import type { Topics } from '../../../operation/signals/types.ts'
import { type LedgerEvent, seqOf, threadOf } from './ledger-event.ts'

/** Names the topic of a thread, on which processes send its durable events to each other. */
export const topicOf = (thread_id: string): string => `thread.${thread_id.replace(/[^\w-]/g, '_')}`

/** A reader of one thread's events, which it receives as they become durable. */
export interface Reader {
  user_id: string
  deliver(event: LedgerEvent, seq: number): void
  /** Receives a frame that belongs to no turn. */
  tell?(text: string): void
  /** Announces that a turn is queued for the thread, which any process may start. */
  expect?(): void
  /** Announces that another process runs a turn of the thread, or has written up to `last_seq`. */
  follow?(last_seq?: number): void
}

/** Delivers each durable event to the readers of its thread in this process. */
export interface Hub {
  publish(event: LedgerEvent): void
  /** Sends the readers of a thread a frame that belongs to no turn. */
  tell(thread_id: string, frame: object): void
  /** Announces to the readers of a thread that a turn is queued for it. */
  expect(thread_id: string): void
  /** Announces to the readers of a thread that another process runs its turn, or has written up to `last_seq`. */
  follow(thread_id: string, last_seq?: number): void
  /** Lists the threads with readers. */
  threads(): string[]
  add(thread_id: string, reader: Reader): void
  remove(thread_id: string, reader: Reader): void
  /** True if any connection of this user reads the thread. */
  isReading(thread_id: string, user_id: string): boolean
}

/** Creates a hub without readers. It listens to the events of other processes for the threads that are read here. */
export function createHub({ listen }: Pick<Topics, 'listen'> = { listen: () => () => undefined }): Hub {
  const threads = new Map<string, Set<Reader>>()
  const leaves = new Map<string, () => void>()

  const publish = (event: LedgerEvent) => {
    const readers = threads.get(threadOf(event))
    if (!readers) return
    const seq = seqOf(event)
    for (const reader of readers) reader.deliver(event, seq)
  }

  return {
    publish,
    tell(thread_id, frame) {
      const text = JSON.stringify(frame)
      for (const reader of threads.get(thread_id) ?? []) reader.tell?.(text)
    },
    expect(thread_id) {
      for (const reader of threads.get(thread_id) ?? []) reader.expect?.()
    },
    follow(thread_id, last_seq) {
      for (const reader of threads.get(thread_id) ?? []) reader.follow?.(last_seq)
    },
    threads: () => [...threads.keys()],
    add(thread_id, reader) {
      const readers = threads.get(thread_id)
      if (readers) readers.add(reader)
      else {
        threads.set(thread_id, new Set([reader]))
        leaves.set(
          thread_id,
          listen(topicOf(thread_id), (event) => publish(event as LedgerEvent)),
        )
      }
    },
    remove(thread_id, reader) {
      const readers = threads.get(thread_id)
      readers?.delete(reader)
      if (readers?.size !== 0) return
      threads.delete(thread_id)
      leaves.get(thread_id)?.()
      leaves.delete(thread_id)
    },
    isReading: (thread_id, user_id) =>
      [...(threads.get(thread_id) ?? [])].some((reader) => reader.user_id === user_id),
  }
}
