import { stripVTControlCharacters } from 'node:util'

/** Control characters but newline and tab, and the marks that reverse the direction of text. */
const UNPRINTABLE = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu
const ESCAPE = String.fromCharCode(27)
/** What may follow an escape character while its sequence is not complete. */
const INCOMPLETE = /^(?:\[[0-?]*[ -/]*|[\]PX^_]\P{Cc}*|[ -/]*)$/u
const LONGEST_SEQUENCE = 256

/** Removes what would drive the terminal: escape sequences, control characters, direction overrides. */
export const clean = (text: string) => stripVTControlCharacters(text).replace(UNPRINTABLE, '')

/** Cleans a text that arrives in pieces, also where an escape sequence is cut in two. */
export const createCleaner = () => {
  let held = ''
  return (piece: string) => {
    const text = held + piece
    const start = text.lastIndexOf(ESCAPE)
    const tail = start < 0 ? '' : text.slice(start + 1)
    held = start >= 0 && tail.length < LONGEST_SEQUENCE && INCOMPLETE.test(tail) ? text.slice(start) : ''
    return clean(text.slice(0, text.length - held.length))
  }
}

/** A value on one line, cut to about that many terminal columns. */
export const shorten = (value: unknown, columns: number) => {
  const text = clean(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
    .replace(/\s+/g, ' ')
    .trim()
  let width = 0
  let end = 0
  for (const character of text) {
    width += widthOf(character)
    if (width > columns - 1 && end + character.length < text.length) return `${text.slice(0, end)}…`
    end += character.length
  }
  return text
}

/** Besides what is unprintable: what nobody sees, and spaces that are not the one of ASCII or of East Asia. */
const UNSEEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]|[^\P{Zs} \u3000]/gu

/** Writes what cannot be seen as the escapes that JSON has for it, for text of which nothing may go unnoticed. */
export const reveal = (text: string) =>
  text.replace(UNSEEN, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  )

/** A value as JSON in which everything can be seen; still the same value to who parses it. */
export const toVisibleJSON = (value: unknown, indent?: number) => reveal(JSON.stringify(value, null, indent))

/** Breaks a line into rows of at most that many terminal columns, behind a space where one stands late enough. */
export const wrap = (line: string, columns: number): string[] => {
  const rows: string[] = []
  let row = ''
  let width = 0
  for (const character of line.replaceAll('\t', '    ')) {
    row += character
    width += widthOf(character)
    if (width <= columns) continue
    const most = row.length - character.length
    const space = row.lastIndexOf(' ', most - 1) + 1
    const end = space > most / 2 ? space : most
    rows.push(row.slice(0, end))
    row = row.slice(end)
    width = [...row].reduce((sum, next) => sum + widthOf(next), 0)
  }
  return [...rows, row]
}

/** East Asian scripts and emoji take two columns. */
const widthOf = (character: string) => (isWide(character) ? 2 : 1)

const isWide = (character: string) =>
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u.test(character) ||
  character.length > 1
