import { createInterface } from 'node:readline'
import { createJoiner, type LineInput } from './line-input.ts'

/** Reads messages from a pipe or a file, one a line. */
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
