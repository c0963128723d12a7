import { stripVTControlCharacters } from 'node:util'
import { columnsOf, countColumns, splitGraphemes } from './columns.ts'

/** Control characters except newline and tab, and the marks that reverse the direction of text. */
const UNPRINTABLE = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu
const ESCAPE = String.fromCharCode(27)
/** The rest of an escape sequence that is not complete yet. */
const INCOMPLETE = /^(?:\[[0-?]*[ -/]*|[\]PX^_]\P{Cc}*|[ -/]*)$/u
const MAX_SEQUENCE_CHARS = 256

/** Removes everything that controls the terminal: escape sequences, control characters, direction overrides. */
export const clean = (text: string) => stripVTControlCharacters(text).replace(UNPRINTABLE, '')

/** Creates the function that cleans a text in pieces, even if an escape sequence is split between two of them. */
export const createCleaner = () => {
  let incomplete = ''
  return (piece: string) => {
    const text = incomplete + piece
    const start = text.lastIndexOf(ESCAPE)
    const tail = start < 0 ? '' : text.slice(start + 1)
    incomplete =
      start >= 0 && tail.length < MAX_SEQUENCE_CHARS && INCOMPLETE.test(tail) ? text.slice(start) : ''
    return clean(text.slice(0, text.length - incomplete.length))
  }
}

/** Writes a value on one line, cut to about this many terminal columns. */
export const shorten = (value: unknown, columns: number) => {
  const text = clean(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
    .replace(/\s+/g, ' ')
    .trim()
  let width = 0
  let end = 0
  for (const character of splitGraphemes(text)) {
    width += columnsOf(character)
    if (width > columns - 1 && end + character.length < text.length) return `${text.slice(0, end)}…`
    end += character.length
  }
  return text
}

/** The unprintable and invisible characters, and all spaces except the ASCII and the ideographic space. */
const INVISIBLE = /[^\P{Cc}\n\t]|[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]|[^\P{Zs} \u3000]/gu

/** Replaces invisible characters with their JSON escapes, for text that a person must read in full. */
export const reveal = (text: string) =>
  text.replace(INVISIBLE, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  )

/** Writes a value as JSON in which every character is visible; it still parses to the same value. */
export const toVisibleJSON = (value: unknown, indent?: number) => reveal(JSON.stringify(value, null, indent))

/** Breaks a line into rows of at most this many terminal columns, after a space if the row has one in its second half. */
export const wrap = (line: string, columns: number): string[] => {
  const rows: string[] = []
  let row = ''
  let width = 0
  for (const character of splitGraphemes(line.replaceAll('\t', '    '))) {
    row += character
    width += columnsOf(character)
    if (width <= columns) continue
    const most = row.length - character.length
    const space = row.lastIndexOf(' ', most - 1) + 1
    const end = space > most / 2 ? space : most
    rows.push(row.slice(0, end))
    row = row.slice(end)
    width = countColumns(row)
  }
  return [...rows, row]
}

/** Formats Unix seconds as local time, `2026-01-31 09:30`, which is the form of the Swedish locale. */
export const formatTime = (seconds: number) =>
  new Date(seconds * 1000).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' })
