import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '#plugin-api'

/** The head of an export or one of its events, and its place in the file. */
export interface ExportedPart {
  position: string
  value: unknown
  /** The length of its JSON in characters. */
  size: number
}

/** The longest line, in characters: an event is stored as one document, whose size the database limits. */
const MAX_PART_CHARS = 8 * 1024 * 1024
/** The deepest nesting of a value, slightly deeper than anything that a ledger contains. */
const MAX_DEPTH = 50
/** The number of events in the `json` format after which other work gets its turn. */
const PAUSE_AFTER = 500

/** Creates the error that refuses a file. */
export const refuse = (position: string, reason: string, cause?: unknown): AppError =>
  new AppError('BAD_EXPORT', { reason: `${position} ${reason}`, place: position }, { cause })

/**
 * Reads an exported trajectory part by part, the head first: line by line, or in one piece if it is one JSON object.
 * Throws BAD_EXPORT for anything else.
 */
export async function* readParts(path: string): AsyncGenerator<ExportedPart, void, void> {
  let line = 0
  for await (const text of readLines(path)) {
    line += 1
    if (line === 1 && !isHead(text)) {
      yield* readObject(await readFile(path, 'utf8'))
      return
    }
    const position = `line ${line}`
    if (text.length > MAX_PART_CHARS) throw tooLong(position)
    if (text.trim() !== '') yield { position, value: parseJson(text, position), size: text.length }
  }
  if (line === 0) throw refuse('the file', 'is empty')
}

/** Splits at line feeds only: JSON may contain the other characters that usually separate lines. */
async function* readLines(path: string): AsyncGenerator<string, void, void> {
  let parts: string[] = []
  for await (const chunk of createReadStream(path, 'utf8')) {
    const pieces = (chunk as string).split('\n')
    for (const piece of pieces.slice(0, -1)) {
      yield withoutMark([...parts, piece].join(''))
      parts = []
    }
    parts.push(pieces.at(-1)!)
  }
  const lastPart = withoutMark(parts.join(''))
  if (lastPart !== '') yield lastPart
}

async function* readObject(text: string): AsyncGenerator<ExportedPart, void, void> {
  const { events, ...head } = Object(parseAny(withoutMark(text), 'the file'))
  if (!Array.isArray(events)) throw refuse('the file', 'has no list of events')
  yield { position: 'the head', value: checkDepth(head, 'the head'), size: 0 }
  for (const [index, event] of events.entries()) {
    if (index % PAUSE_AFTER === 0) await setImmediate()
    const position = `event ${index + 1}`
    const size = JSON.stringify(checkDepth(event, position)).length
    if (size > MAX_PART_CHARS) throw tooLong(position)
    yield { position, value: event, size }
  }
}

/** True if a first line is a whole object without events, as in the format with one event per line. */
function isHead(text: string): boolean {
  try {
    return !Object.hasOwn(Object(JSON.parse(text)), 'events')
  } catch {
    return false
  }
}

/** Parses JSON that is not nested too deeply; throws BAD_EXPORT. */
export const parseJson = (text: string, position: string): unknown =>
  checkDepth(parseAny(text, position), position)

function parseAny(text: string, position: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refuse(position, 'is not JSON', cause)
  }
}

function checkDepth(value: unknown, position: string): unknown {
  if (isDeep(value, MAX_DEPTH)) throw refuse(position, 'is nested too deeply')
  return value
}

const isDeep = (value: unknown, left: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((part) => isDeep(part, left - 1)))

const tooLong = (position: string) => refuse(position, `is longer than ${MAX_PART_CHARS} characters`)

const withoutMark = (text: string) => (text.startsWith('\uFEFF') ? text.slice(1) : text)
