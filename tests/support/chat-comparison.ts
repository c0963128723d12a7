import { isDeepStrictEqual } from 'node:util'
import { applyFrame, type ClientPage, type ClientPages, differenceOf, openThread } from './chat-client.ts'
import type { ThreadReader } from './chat-reader.ts'
import type { TestFrame } from './socket.ts'

/** The history of a thread in which nothing has been said. */
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

/** What clients hold of a thread, and what it is compared with. */
export interface Compared {
  readers: readonly ThreadReader[]
  /** Histories that were read at any moment. */
  snapshots: readonly ClientPages[]
  /** All frames of the thread by seq. */
  frames: ReadonlyMap<number, TestFrame>
  /** The history as it is now that nothing happens any more. */
  last: ClientPages
}

/** Where clients that read on, and histories with the frames behind them, do not come to the last history, in words. */
export function findDifferences({ readers, snapshots, frames, last }: Compared): string[] {
  const [{ thread_id, last_seq }] = last
  const fold = (pages: ClientPages, end: number) => {
    const thread = openThread(pages)
    for (let seq = thread.last_seq + 1; seq <= end; seq += 1) applyFrame(thread, frames.get(seq)!)
    return thread
  }
  const told = readers.map(({ name, thread }) => [name, differenceOf(thread, last)])
  const fromThere = snapshots.map((pages) => [
    `the history at ${pages[0].last_seq} and all behind it`,
    differenceOf(fold(pages, last_seq), last),
  ])
  const upToThere = snapshots.map((pages) => {
    const [{ last_seq: seq, turn_active }] = pages
    // Pages that were read while the turn went on show it at different moments.
    if (pages.some((page) => page.last_seq !== seq)) return []
    const thread = fold([emptyPage(thread_id)], seq)
    // A turn that has the thread is active already before its first frame.
    if (turn_active && frames.get(seq + 1)?.type === 'turn_started') thread.turn_active = true
    return [`all up to ${seq}`, differenceOf(thread, pages)]
  })
  return [...told, ...fromThere, ...upToThere].flatMap(([what, difference]) =>
    difference ? [`${what}: ${difference}`] : [],
  )
}

/** Where a thread's row in the list is not as it should be, in words. */
export const findRowFaults = (row: Record<string, unknown>, wanted: Record<string, unknown>): string[] =>
  Object.entries(wanted).flatMap(([field, value]) =>
    isDeepStrictEqual(row[field], value)
      ? []
      : [`in the list ${field} is ${JSON.stringify(row[field])}, not ${JSON.stringify(value)}`],
  )
