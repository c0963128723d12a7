import type { MessageRange, ThreadDocument } from '../documents.ts'

/** What has to be known of a thread to read its messages. */
export type ShownThread = Pick<ThreadDocument, '_id' | 'base'>

/**
 * Which messages a thread shows up to the position `last`, oldest first: the base of a fork, then its own. Positions
 * rise from range to range, so that one order holds for all; each range but the newest has a message.
 */
export function rangesOf({ _id, base = [] }: ShownThread, last = Infinity): MessageRange[] {
  const all = [...base, { thread_id: _id, last: Infinity }]
  return all
    .filter((_, index) => (all[index - 1]?.last ?? -Infinity) < last)
    .map((range) => ({ thread_id: range.thread_id, last: Math.min(range.last, last) }))
}

/** Selects the messages in these ranges behind `after`; sorted by position, the index gives them range by range. */
export const messagesIn = (ranges: readonly MessageRange[], after = 0) => ({
  $or: ranges.map(({ thread_id, last }) => ({ thread_id, position: { $gt: after, $lte: last } })),
})
