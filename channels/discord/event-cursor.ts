/** Tracks the stored events of a session. Heartbeats and resumes report the position to Discord. */
export interface EventCursor {
  /** The last event up to which all are stored; Discord sends later events again when the session resumes. */
  readonly position: number
  /** Notes that an event has arrived. */
  see(seq: number): void
  /** Marks an event as not stored until it is released. */
  hold(seq: number): void
  release(seq: number): void
  /** Notes that an event could not be stored; returns the number of its failures. */
  refuse(seq: number): number
}

/** Creates the cursor of a session from the number of its first event. */
export function createEventCursor(first: number): EventCursor {
  let seen = first
  const held = new Map<number, number>()
  return {
    get position() {
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
