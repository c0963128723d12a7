import type { Block } from './blocks.ts'
import { readPlainText } from './plain-text.ts'
import { toSheetRows } from './sheet-tables.ts'
import { toGrid } from './table-grid.ts'
import { countHeads, countTitles } from './table-heads.ts'
import { toCells, toRows } from './tables.ts'

/** The marks of a table in a text. */
interface Dialect {
  separator: string
  quote: string
}

/** Separators; the first ones seldom occur within cells. */
const SEPARATORS = ['\t', ';', '|', ',', ':']
/** A colon occurs in times and sentences, so that it must make more columns. */
const MIN_COLON_COLUMNS = 3
/** The beginning of a text that shows its dialect. */
const SAMPLE_CHARS = 64 * 1024
const SAMPLE_RECORDS = 100
/** The part of the records that have the same number of cells in a table: with a usual head, and without. */
const MIN_EVEN = 0.5
const MIN_EVEN_WITHOUT_HEAD = 0.9
const MAX_HEAD_CHARS = 60
const MAX_LINE_CHARS = 200
/** The records that are held at a time. */
const PIECE_RECORDS = 5000
/** The longest cell in quotes, and the number of quotes that do not end, after which all are characters. */
const MAX_QUOTED_CHARS = 100_000
const MAX_UNCLOSED = 5

/** Yields the rows of a table in a text (RFC 4180 and its dialects), or the paragraphs of a text that is no table. */
export function* readSeparated(source: string): Generator<Block> {
  const [stated, separator] = /^sep=(.)[^\S\n]*(?:\n|$)/i.exec(source) ?? []
  const body = stated === undefined ? source : source.slice(stated.length)
  const dialect = findDialect(body, separator)
  if (!dialect) {
    const lines = body.split('\n').filter((line) => line.trim() !== '')
    if (lines.some((line) => line.length > MAX_LINE_CHARS)) yield* readPlainText(body)
    else yield* toRows(toCells(lines.map((line) => [line.trim().replace(/^"(.*)"$/, '$1')])))
    return
  }
  const { width } = dialect
  const records: string[][] = []
  let heads: { count: number; records: string[][] } | undefined
  const endPiece = function* () {
    // Records of separators alone divide tables and titles, but not the sum of a table from its rows.
    const isDivided = records.slice(0, -2).some(({ length }) => length === 0)
    if (!heads && isDivided) yield* toSheetRows(toGrid(toCells(withoutLastGap(records))))
    else yield* toRows(toCells([...(heads?.records ?? []), ...records]), { heads: heads?.count })
    heads ??= findHeads(records)
    records.length = 0
  }
  for (const record of parseRecords(body, dialect)) {
    // Comments and titles above the table.
    const isTitle = record.length === 1 || (/^\s*#/.test(record[0]!) && record.length !== width)
    if (isTitle && !heads && records.length === 0)
      yield { kind: 'text', text: record.join(dialect.separator) }
    else if (record.length > 0 || records.length > 0) records.push(record)
    if (records.length === PIECE_RECORDS) yield* endPiece()
  }
  yield* endPiece()
}

const withoutLastGap = (records: string[][]) =>
  records.filter(({ length }, index) => length > 0 || index < records.length - 2)

/** Returns the heads of a table, by its first piece. */
function findHeads(records: string[][]) {
  const grid = toGrid(toCells(records))
  const start = countTitles(grid)
  const count = countHeads(grid.slice(start))
  return { count, records: records.slice(start, start + count) }
}

/** Returns the dialect that makes the most even table of a text; undefined if none makes one. */
function findDialect(source: string, stated: string | undefined): (Dialect & { width: number }) | undefined {
  const sample = source.slice(0, SAMPLE_CHARS)
  const separators = stated === undefined ? SEPARATORS : [stated]
  const guesses = separators.map((separator) => {
    const dialect = { separator, quote: findQuote(sample, separator) }
    const records: string[][] = []
    for (const record of parseRecords(sample, dialect)) {
      if (record.length > 0) records.push(record)
      if (records.length === SAMPLE_RECORDS) break
    }
    // The last record of a sample may be cut.
    if (sample.length < source.length && records.length > 1 && records.length < SAMPLE_RECORDS) records.pop()
    // The separator of another dialect divides what is in quotes.
    const broken = records.flat().filter((cell) => cell.trim().startsWith(dialect.quote)).length
    const { width, share } = findWidth(records)
    return { dialect, width, share: share - broken / records.length, hasHead: isUsualHead(records) }
  })
  const [best] = guesses
    .filter(({ dialect, width }) => width >= (dialect.separator === ':' ? MIN_COLON_COLUMNS : 2))
    .sort((one, other) => other.share - one.share)
  const chosen = stated === undefined ? best : guesses[0]
  if (!chosen) return undefined
  const isEven = chosen.share >= (chosen.hasHead ? MIN_EVEN : MIN_EVEN_WITHOUT_HEAD)
  return isEven || stated !== undefined ? { ...chosen.dialect, width: chosen.width } : undefined
}

/** Returns the usual number of cells of the records that are no titles, and the part of all records that have it. */
function findWidth(records: readonly string[][]): { width: number; share: number } {
  const counts = new Map<number, number>()
  for (const { length } of records) if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1)
  const [[width, count] = [0, 0]] = [...counts].sort((one, other) => other[1] - one[1])
  return { width, share: count / records.length }
}

/** True if the first record looks like names of columns. */
function isUsualHead(records: readonly string[][]): boolean {
  const head = records.find(({ length }) => length > 1) ?? []
  const names = head.map((name) => name.trim()).filter(Boolean)
  return names.length > 1 && names.every((name) => name.length <= MAX_HEAD_CHARS && !/[.!?]$/.test(name))
}

/** Returns the mark of quotation: an apostrophe if cells begin and end with it, and none with the usual mark. */
function findQuote(sample: string, separator: string): string {
  const lines = sample.split('\n', SAMPLE_RECORDS)
  const count = (quote: string) =>
    lines.flatMap((line) => line.split(separator)).filter((cell) => isQuoted(cell.trim(), quote)).length
  return count('"') === 0 && count("'") > 1 ? "'" : '"'
}

const isQuoted = (cell: string, quote: string) =>
  cell.length > 1 && cell.startsWith(quote) && cell.endsWith(quote)

/** Yields the records of a text, but no empty lines; one of separators alone has no cells. */
function* parseRecords(source: string, { separator, quote }: Dialect): Generator<string[]> {
  let record: string[] = []
  let unclosed = 0
  let index = 0
  while (index < source.length) {
    let start = index
    // A quotation may begin after spaces.
    while (source[start] === ' ' && separator !== ' ') start += 1
    const isQuote = source[start] === quote && unclosed < MAX_UNCLOSED
    const quoted = isQuote ? readQuoted(source, start, { separator, quote }) : undefined
    if (isQuote && !quoted) unclosed += 1
    if (quoted) index = quoted.end
    const end = findEnd(source, index, separator)
    const cell = quoted ? quoted.text : source.slice(index, end)
    record.push(cell)
    index = end + 1
    if (source[end] === separator && end < source.length - 1) continue
    if (source[end] === separator) record.push('')
    if (record.some((each) => each.trim() !== '')) yield record
    else if (record.length > 1) yield []
    record = []
  }
}

/** Returns the index of the separator or line end that ends a cell. */
function findEnd(source: string, start: number, separator: string): number {
  let end = start
  while (end < source.length && source[end] !== separator && source[end] !== '\n') end += 1
  return end
}

/**
 * Reads a cell in quotes, up to a quote before a separator or a line end: others, doubled or not, are characters.
 * Returns undefined if it does not end.
 */
function readQuoted(source: string, start: number, { separator, quote }: Dialect) {
  let text = ''
  const last = Math.min(source.length, start + MAX_QUOTED_CHARS)
  for (let index = start + 1; index < last; index += 1) {
    const character = source[index]!
    if (character !== quote) text += character
    else if (source[index + 1] === quote) {
      text += quote
      index += 1
    } else {
      let end = index + 1
      while (source[end] === ' ') end += 1
      const isEnd = end >= source.length || source[end] === separator || source[end] === '\n'
      if (isEnd) return { text, end }
      text = text.endsWith('\\') ? text.slice(0, -1) + quote : text + quote
    }
  }
}
