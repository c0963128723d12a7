import { createInterface } from 'node:readline'

/** The source of the user's messages. */
export interface LineInput {
  /** Returns the next message, its lines joined; undefined at the end of the input. */
  read(): Promise<string | undefined>
  /** Releases the stream. */
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
    /** Returns the lines so far and clears them. */
    take,
    /** True if a message has begun. */
    get isBegun() {
      return lines.length > 0
    },
    /** Adds a line; returns the whole message, or undefined while the message continues. */
    add(line: string, isContinued = false): string | undefined {
      const hasBackslash = line.endsWith('\\')
      lines.push(hasBackslash ? line.slice(0, -1) : line)
      return hasBackslash || isContinued ? undefined : take()
    },
  }
}

/** Reads messages from a pipe or a file, one per line. */
export const createPipe = ({ stdin }: { stdin: NodeJS.ReadStream }): LineInput => {
  const reader = createInterface({ input: stdin, terminal: false })
  const lines = reader[Symbol.asyncIterator]()
  const joiner = createJoiner()
  return {
    async read() {
      for (;;) {
        const { value, done } = await lines.next()
        if (done) return joiner.take() || undefined
        const message = joiner.add(value)
        if (message !== undefined) return message
      }
    },
    close: () => reader.close(),
  }
}
