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
    width += isWide(character) ? 2 : 1
    if (width > columns - 1 && end + character.length < text.length) return `${text.slice(0, end)}…`
    end += character.length
  }
  return text
}

/** East Asian scripts and emoji take two columns. */
const isWide = (character: string) =>
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u.test(character) ||
  character.length > 1
