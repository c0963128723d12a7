import { isDeepStrictEqual } from 'node:util'
import { applyFrame, type ClientPage, type ClientPages, differenceOf, openThread } from './chat-client.ts'
import type { ThreadReader } from './chat-reader.ts'
import type { TestFrame } from './socket.ts'

/** The history of a thread without messages. */
export const emptyPage = (thread_id: string): ClientPage => ({
  thread_id,
  messages: [],
  last_seq: 0,
  turn_active: false,
  hitl_pending: null,
  artifacts: [],
  sources: [],
  has_more: false,
  next_cursor: null,
})

/** The states of clients of a thread, and the history to compare them with. */
interface Compared {
  readers: readonly ThreadReader[]
  /** Histories that were read at any moment. */
  snapshots: readonly ClientPages[]
  /** All frames of the thread by seq. */
  frames: ReadonlyMap<number, TestFrame>
  /** The final history. */
  last: ClientPages
}

/** Describes how clients, and histories with the frames after them, differ from the final history. */
export function findDifferences({ readers, snapshots, frames, last }: Compared): string[] {
  const [{ thread_id, last_seq }] = last
  const fold = (pages: ClientPages, end: number) => {
    const thread = openThread(pages)
    for (let seq = thread.last_seq + 1; seq <= end; seq += 1) applyFrame(thread, frames.get(seq)!)
    return thread
  }
  const differences = readers.map(({ name, thread }) => [name, differenceOf(thread, last)])
  const fromThere = snapshots.map((pages) => [
    `the history at ${pages[0].last_seq} and all behind it`,
    differenceOf(fold(pages, last_seq), last),
  ])
  const upToThere = snapshots.map((pages) => {
    const [{ last_seq: seq, turn_active }] = pages
    // Pages that were read while a turn was running show it at different moments.
    if (pages.some((page) => page.last_seq !== seq)) return []
    const thread = fold([emptyPage(thread_id)], seq)
    // A turn that has the thread is active even before its first frame.
    if (turn_active && frames.get(seq + 1)?.type === 'turn_started') thread.turn_active = true
    return [`all up to ${seq}`, differenceOf(thread, pages)]
  })
  return [...differences, ...fromThere, ...upToThere].flatMap(([what, difference]) =>
    difference ? [`${what}: ${difference}`] : [],
  )
}

/** Describes the faults of a thread's row in the list. */
export const findRowFaults = (row: Record<string, unknown>, wanted: Record<string, unknown>): string[] =>
  Object.entries(wanted).flatMap(([field, value]) =>
    isDeepStrictEqual(row[field], value)
      ? []
      : [`in the list ${field} is ${JSON.stringify(row[field])}, not ${JSON.stringify(value)}`],
  )
