/** Tracks the stored events of a session, so that QQ delivers the others again. */
export interface Sequence {
  /** Notes that an event has arrived; call the returned function when it is stored. */
  begin(number: number): () => void
  /** Returns the last event up to which all are stored; null before the first. */
  stored(): number | null
  /** Resets after a resume: QQ delivers the events that were not stored again. */
  restart(): void
}

/** Creates the sequence of a new session. */
export function createSequence(): Sequence {
  let highest: number | null = null
  let open = new Set<number>()

  const stored = () => {
    if (open.size === 0) return highest
    const before = Math.min(...open) - 1
    return before > 0 ? before : null
  }

  return {
    stored,
    begin(number) {
      const mine = open
      highest = Math.max(highest ?? 0, number)
      mine.add(number)
      return () => void mine.delete(number)
    },
    restart() {
      highest = stored()
      // Events of the previous connection that are still being stored count when they arrive again.
      open = new Set()
    },
  }
}
