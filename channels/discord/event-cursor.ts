/**
 * Creates the cursor of a session from the number of its first event. Heartbeats and resumes report its position to
 * Discord.
 */
export function createEventCursor(first: number) {
  let latest = first
  /** The failures of the events that are not stored, by their numbers. */
  const unstored = new Map<number, number>()
  return {
    /** The last event up to which all are stored; Discord sends later events again when the session resumes. */
    get position(): number {
      return unstored.size > 0 ? Math.min(latest, ...[...unstored.keys()].map((seq) => seq - 1)) : latest
    },
    /** Tracks an event that has arrived. */
    advance(seq: number): void {
      latest = Math.max(latest, seq)
    },
    /** Marks an event as not stored until it is released. */
    hold(seq: number): void {
      if (!unstored.has(seq)) unstored.set(seq, 0)
    },
    release: (seq: number) => void unstored.delete(seq),
    /** Counts a failure to store an event; returns the number of its failures. */
    countFailure(seq: number): number {
      const times = (unstored.get(seq) ?? 0) + 1
      unstored.set(seq, times)
      return times
    },
  }
}

/** The cursor of a session. */
export type EventCursor = ReturnType<typeof createEventCursor>
