import { JsonTooComplex, parseJson } from '#plugin-api'
import type { Failures } from './failure.ts'

/** The longest line; tool arguments that contain a whole file arrive in one line. */
const MAX_LINE_CHARS = 16 * 1024 * 1024
/** The longest line that cannot be deep or large enough to harm. */
const HARMLESS_CHARS = 4096

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
      const { isLast, text } = checkLine(line, failures)
      if (isLast) void release(reader)
      yield new TextEncoder().encode(`${text}\n`)
      if (isLast) return
    }
    throw failures.unfinished()
  } catch (error) {
    // Rejects only with the error of the body, which is rethrown here.
    await reader.cancel().catch(() => undefined)
    throw error
  }
}

/**
 * Yields JSON objects, one per line; those that a proxy has indented are joined, and the field names of server-sent
 * events are removed.
 */
async function* readLines(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  failures: Failures,
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder()
  let pending = ''
  let indented = ''
  for (let isEnded = false; !isEnded; ) {
    const { done, value } = await reader.read()
    isEnded = done
    const [lineEnd = '', ...next] = (done ? '\n' : decoder.decode(value, { stream: true })).split(
      /\r\n|\n|\r/,
    )
    pending += lineEnd
    if (pending.length + indented.length > MAX_LINE_CHARS) throw failures.malformed()
    for (const start of next) {
      const line = pending.replace(/^data:/, '').trim()
      const endsObject = pending.startsWith('}')
      pending = start
      if (indented === '' && (line === '' || NO_OBJECT.test(line))) continue
      if (indented !== '' || line === '{') {
        indented += `${line} `
        if (!endsObject) continue
      }
      yield indented || line
      indented = ''
    }
  }
  if (indented !== '') throw failures.malformed()
}

/** Matches lines of server-sent events without data. */
const NO_OBJECT = /^(:|event:|id:|retry:|\[DONE\]$)/

/** Checks a line; returns it without an `error` that is null, which the client would report. */
function checkLine(line: string, failures: Failures): { isLast: boolean; text: string } {
  let value: unknown
  try {
    value = line.length > HARMLESS_CHARS ? parseJson(line) : JSON.parse(line)
  } catch (cause) {
    throw cause instanceof JsonTooComplex ? failures.tooComplex() : failures.malformed(cause)
  }
  if (typeof value !== 'object' || value === null) throw failures.malformed()
  const { error, ...fields } = value as Record<string, unknown>
  const { message, detail, done } = fields
  const reported = error || (typeof message === 'string' && message) || detail
  if (reported) throw failures.reported(error === true ? message || detail || error : reported)
  if (!('error' in value) && (done === undefined || typeof done === 'boolean'))
    return { isLast: done === true, text: line }
  const isLast = /^(true|1)$/i.test(String(done))
  return { isLast, text: JSON.stringify({ ...fields, done: isLast }) }
}

/** Reads to the end, so that the connection can be reused; the answer is complete, so errors do not matter. */
async function release(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const lastRead = await reader.read().catch(() => undefined)
  if (lastRead?.done === false) await reader.cancel()
}
