/** Which events of a session have been taken in, so that QQ delivers the others again. */
export interface Sequence {
  /** An event has arrived; call what this gives when it is stored. */
  begin(number: number): () => void
  /** The last event up to which all are stored; null before the first. */
  stored(): number | null
  /** The session is resumed: what was not stored yet comes again. */
  restart(): void
}

/** Makes the sequence of a new session. */
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
      // Whatever of the connection before is stored only now counts when it arrives again.
      open = new Set()
    },
  }
}
