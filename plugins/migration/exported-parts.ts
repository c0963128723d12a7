import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { AppError } from '#kernel'

/** The head of an export or one of its events, and where in the file that stands. */
export interface ExportedPart {
  place: string
  value: unknown
  /** How many characters of JSON it was. */
  size: number
}

/** The longest line, in characters: what the database keeps of it as one document has its limit. */
const LONGEST = 8 * 1024 * 1024
/** How deep values are nested at the most: a little deeper than any that a ledger holds. */
const DEEPEST = 50
/** How many events of the form `json` are given before others get a turn. */
const PAUSE_AFTER = 500

/** Refuses a file. */
export const refuse = (place: string, reason: string, cause?: unknown): AppError =>
  new AppError('BAD_EXPORT', { reason: `${place} ${reason}`, place }, { cause })

/**
 * Reads an exported trajectory part by part, its head first: line by line, or whole where it is one JSON object.
 * Throws BAD_EXPORT where it is neither.
 */
export async function* readParts(path: string): AsyncGenerator<ExportedPart, void, void> {
  let line = 0
  for await (const text of linesOf(path)) {
    line += 1
    if (line === 1 && !isHead(text)) {
      yield* readObject(await readFile(path, 'utf8'))
      return
    }
    const place = `line ${line}`
    if (text.length > LONGEST) throw tooLong(place)
    if (text.trim() !== '') yield { place, value: parse(text, place), size: text.length }
  }
  if (line === 0) throw refuse('the file', 'is empty')
}

/** Lines end with a line feed only: JSON may hold the other characters at which text is often divided. */
async function* linesOf(path: string): AsyncGenerator<string, void, void> {
  let parts: string[] = []
  for await (const chunk of createReadStream(path, 'utf8')) {
    const pieces = (chunk as string).split('\n')
    for (const piece of pieces.slice(0, -1)) {
      yield withoutMark([...parts, piece].join(''))
      parts = []
    }
    parts.push(pieces.at(-1)!)
  }
  const rest = withoutMark(parts.join(''))
  if (rest !== '') yield rest
}

async function* readObject(text: string): AsyncGenerator<ExportedPart, void, void> {
  const { events, ...head } = Object(parseAny(withoutMark(text), 'the file'))
  if (!Array.isArray(events)) throw refuse('the file', 'has no list of events')
  yield { place: 'the head', value: shallow(head, 'the head'), size: 0 }
  for (const [index, event] of events.entries()) {
    if (index % PAUSE_AFTER === 0) await setImmediate()
    const place = `event ${index + 1}`
    const size = JSON.stringify(shallow(event, place)).length
    if (size > LONGEST) throw tooLong(place)
    yield { place, value: event, size }
  }
}

/** Whether a first line is a whole object without its events: the form with one event a line. */
function isHead(text: string): boolean {
  try {
    return !Object.hasOwn(Object(JSON.parse(text)), 'events')
  } catch {
    return false
  }
}

/** Reads JSON that is not nested too deeply; throws BAD_EXPORT. */
export const parse = (text: string, place: string): unknown => shallow(parseAny(text, place), place)

function parseAny(text: string, place: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw refuse(place, 'is not JSON', cause)
  }
}

function shallow(value: unknown, place: string): unknown {
  if (isDeep(value, DEEPEST)) throw refuse(place, 'is nested too deeply')
  return value
}

const isDeep = (value: unknown, left: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((part) => isDeep(part, left - 1)))

const tooLong = (place: string) => refuse(place, `is longer than ${LONGEST} characters`)

const withoutMark = (text: string) => (text.startsWith('\uFEFF') ? text.slice(1) : text)
