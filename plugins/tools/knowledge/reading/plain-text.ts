import { type Block, toRows } from './blocks.ts'

/** Yields the paragraphs of a plain text. */
export function* readPlainText(source: string): Generator<Block> {
  for (const text of source.split(/\n[^\S\n]*\n+/)) yield { kind: 'text', text }
}

/** The fewest lines of a piece of code. */
const MIN_PIECE_LINES = 4

/** Yields the pieces of a source file: cut before lines without indentation that follow an empty line. */
export function* readCode(source: string): Generator<Block> {
  let piece: string[] = []
  let isAfterGap = false
  for (const line of source.split('\n')) {
    const begins = isAfterGap && /^[^\s)}\]]/.test(line)
    if (begins && piece.length >= MIN_PIECE_LINES) {
      yield { kind: 'code', text: piece.join('\n') }
      piece = []
    }
    piece.push(line)
    isAfterGap = line.trim() === ''
  }
  yield { kind: 'code', text: piece.join('\n') }
}

/** Yields JSON: a list of flat objects as rows, anything else indented, in pieces. */
export function* readJson(source: string): Generator<Block> {
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch {
    // A text that only looks like JSON is still a text.
    yield* readCode(source)
    return
  }
  if (Array.isArray(value) && value.length > 0 && value.every(isFlat)) {
    for (const row of value as Record<string, unknown>[]) {
      const cells = Object.entries(row).filter(([, cell]) => cell !== null && cell !== '')
      yield { kind: 'row', text: cells.map(([name, cell]) => `${name}: ${cell}`).join(' | ') }
    }
    return
  }
  yield { kind: 'code', text: JSON.stringify(value, null, 2) }
}

const isFlat = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((cell) => typeof cell !== 'object' || cell === null)

/** Yields the rows of a table in a text, whose cells are separated by commas, semicolons or tabs (RFC 4180). */
export const readSeparated = (source: string): Iterable<Block> => toRows([...parseSeparated(source)])

function* parseSeparated(source: string): Generator<string[]> {
  const separator = findSeparator(source)
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  let isBlank = true
  for (let index = 0; index < source.length; index += 1) {
    const character = source[index]!
    if (isQuoted) {
      if (character !== '"') cell += character
      else if (source[index + 1] === '"') {
        cell += '"'
        index += 1
      } else isQuoted = false
    } else if (character === '"' && isBlank) {
      cell = ''
      isBlank = false
      isQuoted = true
    } else if (character === separator) {
      row.push(cell)
      cell = ''
      isBlank = true
    } else if (character === '\n') {
      yield [...row, cell]
      row = []
      cell = ''
      isBlank = true
    } else {
      cell += character
      if (isBlank) isBlank = character.trim() === ''
    }
  }
  if (cell !== '' || row.length > 0) yield [...row, cell]
}

/** Returns the separator that the first line has most of. */
function findSeparator(source: string): string {
  const [line = ''] = source.split('\n', 1)
  const count = (separator: string) => line.split(separator).length
  return [',', ';', '\t'].reduce((best, other) => (count(other) > count(best) ? other : best))
}
