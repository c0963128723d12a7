import type { Branch, MessageRange, ThreadDocument } from '../documents.ts'
import { LAST_SEQ } from '../ledger/ledger-event.ts'

/** The fields of a thread that its ranges of messages follow from. */
export type ShownThread = Pick<ThreadDocument, '_id' | 'base' | 'path'> & {
  active_turn?: Pick<NonNullable<ThreadDocument['active_turn']>, 'path'> | null
}

/** Returns the ranges up to the position `last`. */
export const cutRanges = (ranges: readonly MessageRange[], last: number): MessageRange[] =>
  ranges
    .filter(({ first }, index) => (first ?? endOf(ranges.slice(0, index)) + 1) <= last)
    .map((range) => ({ ...range, last: Math.min(range.last, last) }))

/** Returns the ranges of a thread without versions: the base of a fork, then its own messages. */
export const listOriginal = ({ _id, base = [] }: Pick<ThreadDocument, '_id' | 'base'>): MessageRange[] => [
  ...base,
  { thread_id: _id, last: LAST_SEQ },
]

/**
 * Returns the ranges of messages that a thread shows up to the position `last`, oldest first. Positions rise from range to
 * range, so one sort order holds for all; each range but the newest contains a message.
 */
export const listRanges = (thread: ShownThread, last: number = LAST_SEQ): MessageRange[] =>
  cutRanges(thread.active_turn?.path ?? thread.path ?? listOriginal(thread), last)

/** True if one of the ranges contains the position. */
export const containsPosition = (ranges: readonly MessageRange[], position: number): boolean =>
  cutRanges(ranges, position).at(-1)?.last === position

/** Returns the positions outside of these ranges of one thread, as `after < position <= upTo`. */
export function listGaps(ranges: readonly MessageRange[]): { after: number; upTo: number }[] {
  const gaps: { after: number; upTo: number }[] = []
  let after = 0
  for (const { first = 1, last } of ranges.toSorted((a, b) => (a.first ?? 1) - (b.first ?? 1))) {
    if (first > after + 1) gaps.push({ after, upTo: first - 1 })
    after = Math.max(after, last)
  }
  return after < LAST_SEQ ? [...gaps, { after, upTo: LAST_SEQ }] : gaps
}

/** Returns the position that a path ends at, 0 if it is empty. */
export const endOf = (path: readonly MessageRange[]): number => path.at(-1)?.last ?? 0

/**
 * Returns the paths of a thread, which follow from where its versions branch off. `branches` rise; the messages between
 * two branches follow each other.
 */
export function createPaths(thread: Pick<ThreadDocument, '_id' | 'base'>, branches: readonly Branch[]) {
  const original = listOriginal(thread)
  const branchAt = (position: number) => branches.findLast(({ first }) => first <= position)

  /** Returns the path that ends at a position; the one that ends at LAST_SEQ goes on with the events to come. */
  const pathTo = (position: number): MessageRange[] => {
    const newestFirst: MessageRange[] = []
    let last = position
    for (let branch = branchAt(last); branch; branch = branchAt(last)) {
      newestFirst.push({ thread_id: thread._id, first: branch.first, last })
      last = branch.after
    }
    return [...cutRanges(original, last), ...newestFirst.reverse()]
  }

  return {
    pathTo,
    /** Returns the path that leads through a position to the newest message behind it. */
    pathThrough(position: number): MessageRange[] {
      const newest = pathTo(LAST_SEQ)
      if (containsPosition(newest, position)) return newest
      for (const { first } of branches.toReversed()) {
        const path = pathTo(first - 1)
        if (containsPosition(path, position)) return path
      }
      return pathTo(position)
    },
  }
}
