/** Where the user's messages come from. */
export interface LineInput {
  /** The next message, its lines joined; nothing when there is no more. */
  read(): Promise<string | undefined>
  /** Lets go of the stream. */
  close(): void
}

/** Joins the lines of one message: a backslash at the end of a line continues it. */
export const createJoiner = () => {
  let lines: string[] = []

  const take = () => {
    const message = lines.join('\n')
    lines = []
    return message
  }

  return {
    /** The lines so far, which are then forgotten. */
    take,
    /** Whether a message has been begun. */
    get isBegun() {
      return lines.length > 0
    },
    /** Adds a line; gives the whole message, or nothing while it goes on. */
    add(line: string, goesOn = false): string | undefined {
      const continued = line.endsWith('\\')
      lines.push(continued ? line.slice(0, -1) : line)
      return continued || goesOn ? undefined : take()
    },
  }
}
