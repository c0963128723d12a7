/** Creates the tracker of the stored events of a new session, so that QQ delivers the others again. */
export function createSequence() {
  let highest: number | null = null
  let open = new Set<number>()

  const stored = (): number | null => {
    if (open.size === 0) return highest
    const last = Math.min(...open) - 1
    return last > 0 ? last : null
  }

  return {
    /** Returns the last event up to which all are stored; null before the first. */
    stored,
    /** Tracks an event that has arrived; call the returned function when it is stored. */
    begin(number: number): () => void {
      const mine = open
      highest = Math.max(highest ?? 0, number)
      mine.add(number)
      return () => void mine.delete(number)
    },
    /** Resets after a resume: QQ delivers the events that were not stored again. */
    restart(): void {
      highest = stored()
      // Events of the previous connection that are still being stored count when they arrive again.
      open = new Set()
    },
  }
}

/** The tracker of the stored events of a session. */
export type Sequence = ReturnType<typeof createSequence>
