import type { Failures } from './failure.ts'

/** The longest line; tool arguments that contain a whole file arrive in one line. */
const MAX_LINE_CHARS = 16 * 1024 * 1024

/**
 * Yields a streamed answer line by line, up to its last line. Throws, after all lines before, if a line is not a JSON
 * object or reports an error, or if the last line is missing: the client ignores the first of these failures, and
 * reports the others without their cause.
 */
export async function* checkLines(
  body: ReadableStream<Uint8Array>,
  failures: Failures,
): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader()
  try {
    for await (const line of readLines(reader, failures)) {
      const isLast = checkLine(line, failures)
      if (isLast) void release(reader)
      yield new TextEncoder().encode(`${line}\n`)
      if (isLast) return
    }
    throw failures.unfinished()
  } catch (error) {
    // Rejects only with the error of the body, which is rethrown here.
    await reader.cancel().catch(() => undefined)
    throw error
  }
}

/** Yields trimmed lines, without empty ones. */
async function* readLines(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  failures: Failures,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let pending = ''
  for (let isEnded = false; !isEnded; ) {
    const { done, value } = await reader.read()
    isEnded = done
    const [rest = '', ...next] = (done ? '\n' : decoder.decode(value, { stream: true })).split('\n')
    pending += rest
    if (pending.length > MAX_LINE_CHARS) throw failures.malformed()
    for (const start of next) {
      const line = pending.trim()
      pending = start
      if (line !== '') yield line
    }
  }
}

function checkLine(line: string, failures: Failures): boolean {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw failures.malformed(cause)
  }
  if (typeof value !== 'object' || value === null) throw failures.malformed()
  const { error, done } = value as { error?: unknown; done?: unknown }
  if (error !== undefined) throw failures.reported(error)
  return done === true
}

/** Reads to the end, so that the connection can be reused; the answer is complete, so errors do not matter. */
async function release(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const rest = await reader.read().catch(() => undefined)
  if (rest?.done === false) await reader.cancel()
}
