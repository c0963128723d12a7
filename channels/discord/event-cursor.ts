/** How far the events of one session have been dealt with: what Discord is told in heartbeats and when a session resumes. */
export interface EventCursor {
  /** The last number before which nothing waits; Discord sends all behind it again when the session resumes. */
  readonly dealtWith: number
  /** An event of this number has arrived. */
  see(seq: number): void
  /** It counts as dealt with only once it is released. */
  hold(seq: number): void
  release(seq: number): void
  /** It could not be dealt with; gives how often that has happened to it. */
  refuse(seq: number): number
}

/** Makes the cursor of a session whose first event had this number. */
export function createEventCursor(first: number): EventCursor {
  let seen = first
  const held = new Map<number, number>()
  return {
    get dealtWith() {
      return held.size > 0 ? Math.min(seen, ...[...held.keys()].map((seq) => seq - 1)) : seen
    },
    see(seq) {
      seen = Math.max(seen, seq)
    },
    hold(seq) {
      if (!held.has(seq)) held.set(seq, 0)
    },
    release: (seq) => void held.delete(seq),
    refuse(seq) {
      const times = (held.get(seq) ?? 0) + 1
      held.set(seq, times)
      return times
    },
  }
}
