const LINE_FEED = 10

/**
 * Returns what takes the output of a program and hands over its lines, without the bytes that end them or begin a file.
 * Throws `toTooLarge()` for a line with more than `maxBytes` bytes.
 */
export function createLineReader(
  maxBytes: number,
  { onLine, toTooLarge }: { onLine(line: string): void; toTooLarge(): Error },
): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0
  return (chunk) => {
    for (let start = 0; start < chunk.length; ) {
      const lineEnd = chunk.indexOf(LINE_FEED, start)
      const part = chunk.subarray(start, lineEnd < 0 ? chunk.length : lineEnd)
      size += part.length
      if (size > maxBytes) throw toTooLarge()
      parts.push(part)
      if (lineEnd < 0) return
      const line = Buffer.concat(parts)
        .toString('utf8')
        .replace(/^\uFEFF/, '')
        .trim()
      parts = []
      size = 0
      start = lineEnd + 1
      if (line) onLine(line)
    }
  }
}
