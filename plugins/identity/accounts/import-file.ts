import { readFile } from 'node:fs/promises'
import { AppError } from '#plugin-api'

/** The most rows of a file, the one with the names of the columns not counted. */
const MAX_IMPORT_ROWS = 5000

const COLUMNS = ['username', 'display_name', 'email', 'groups', 'password'] as const

type Column = (typeof COLUMNS)[number]

/** The most names that an error repeats, and the most characters of each. */
const MAX_NAMES = 16
const MAX_NAME_CHARS = 64

/** A cell that a spreadsheet would run as a formula, kept as text by the quote before it. */
const QUOTED_FORMULA = /^'(?=[=+\-@])/

/** A row of the file; its number counts the row with the names of the columns as 1. */
export interface ImportedRow {
  number: number
  /** True if it has something in more cells than there are columns. */
  isTooWide: boolean
  /** Without those that are empty. */
  cells: Partial<Record<Column, string>>
}

/**
 * Reads a CSV file in UTF-8 whose cells are separated by commas or semicolons. Throws IMPORT_NOT_UTF8,
 * IMPORT_HEADER_INVALID, IMPORT_DAMAGED, IMPORT_TOO_LONG.
 */
export async function readImportFile(path: string): Promise<ImportedRow[]> {
  const text = decode(await readFile(path))
  const { default: papa } = await import('papaparse')
  const { data, errors } = papa.parse<string[]>(text, { delimiter: findDelimiter(text) })
  const [damage] = errors
  if (damage) throw new AppError('IMPORT_DAMAGED', { row: (damage.row ?? 0) + 1 })
  const [head = [], ...records] = data
  const columns = readColumns(head)
  const rows = records
    .map((record, index) => toRow(record, columns, index + 2))
    .filter(({ isTooWide, cells }) => isTooWide || Object.keys(cells).length > 0)
  if (rows.length > MAX_IMPORT_ROWS) throw new AppError('IMPORT_TOO_LONG', { limit: MAX_IMPORT_ROWS })
  return rows
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new AppError('IMPORT_NOT_UTF8', {}, { cause })
  }
}

/** The names of columns contain neither mark, so that the first line shows which one separates cells. */
function findDelimiter(text: string): ',' | ';' {
  const [head = ''] = text.split(/[\r\n]/, 1)
  return head.includes(';') && !head.includes(',') ? ';' : ','
}

function readColumns(head: readonly string[]): Column[] {
  const names = head.map((name) =>
    name
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_'),
  )
  // Spreadsheets write empty cells behind the last column.
  while (names.at(-1) === '') names.pop()
  const isColumn = (name: string): name is Column => (COLUMNS as readonly string[]).includes(name)
  const unknown = names.filter((name) => !isColumn(name))
  const repeated = names.filter((name, index) => isColumn(name) && names.indexOf(name) < index)
  const missing = names.includes('username') ? [] : ['username']
  if (unknown.length + repeated.length + missing.length > 0) {
    const shorten = (some: string[]) =>
      [...new Set(some)].slice(0, MAX_NAMES).map((name) => name.slice(0, MAX_NAME_CHARS))
    throw new AppError('IMPORT_HEADER_INVALID', {
      missing,
      unknown: shorten(unknown),
      repeated: shorten(repeated),
    })
  }
  return names as Column[]
}

function toRow(record: readonly string[], columns: readonly Column[], number: number): ImportedRow {
  const cells = columns.flatMap((column, index) => {
    const cell = record[index] ?? ''
    const value = column === 'password' ? cell : cell.trim().replace(QUOTED_FORMULA, '')
    return value === '' ? [] : [[column, value] as const]
  })
  const isTooWide = record.slice(columns.length).some((cell) => cell.trim() !== '')
  return { number, isTooWide, cells: Object.fromEntries(cells) }
}
