import type { Failures } from './failure.ts'

/** Characters that one line may have; tool arguments that hold a whole file come in one. */
const MAX_LINE = 16 * 1024 * 1024

/**
 * Gives a streamed answer line by line, the last one included. Throws, after all that came before, where a line is no
 * JSON object or reports an error, and where the last one is missing: the client passes over the first of these, and
 * tells the others without what they were.
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
    // It fails only where the body has failed, with what is thrown on here.
    await reader.cancel().catch(() => undefined)
    throw error
  }
}

/** Lines without the blanks around them, empty ones left out. */
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
    if (pending.length > MAX_LINE) throw failures.malformed()
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

/** Reads to the end, so that the connection can be used again; the answer is whole, nothing can fail any more. */
async function release(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const rest = await reader.read().catch(() => undefined)
  if (rest?.done === false) await reader.cancel()
}
