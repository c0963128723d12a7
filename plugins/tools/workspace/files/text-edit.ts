import { decodeText } from './file-facts.ts'
import { FileFailure, quote } from './file-failure.ts'
import { MAX_FILE_BYTES } from './file-replacement.ts'

const MAX_REPLACEMENTS = 100_000

/** A replacement of text in a file. */
interface Edit {
  path: string
  old_string: string
  new_string: string
  replace_all: boolean
}

/** Applies an edit to the bytes of a file; throws a FileFailure with the reason if it cannot be applied. */
export function applyEdit(bytes: Buffer, edit: Edit): { bytes: Buffer; count: number } {
  // A byte order mark is a character of the file.
  const text = decodeText(bytes, { ignoreBOM: true })
  if (text === undefined)
    throw new FileFailure(`${quote(edit.path)} is not UTF-8 text (${bytes.length} bytes)`)
  const toFile = hasOnlyCrlf(text) ? (part: string) => part.replace(/\r?\n/g, '\r\n') : (part: string) => part
  const [sought, replacement] = [toFile(edit.old_string), toFile(edit.new_string)]
  if (sought === replacement)
    throw new FileFailure('with the line endings of the file, both strings are the same')

  const places = findOccurrences(sought, text, MAX_REPLACEMENTS + 1)
  const occurrences = places.length > MAX_REPLACEMENTS ? `more than ${MAX_REPLACEMENTS}` : `${places.length}`
  if (places.length === 0) throw new FileFailure(describeMiss(text, sought, edit.path))
  if (places.length > 1 && !edit.replace_all)
    throw new FileFailure(
      `old_string occurs ${occurrences} times in ${quote(edit.path)}; include more of the surrounding lines, or set replace_all`,
    )
  if (places.length > MAX_REPLACEMENTS)
    throw new FileFailure(`old_string occurs ${occurrences} times in ${quote(edit.path)}; that is too often`)

  const size = bytes.length + places.length * (Buffer.byteLength(replacement) - Buffer.byteLength(sought))
  if (size > MAX_FILE_BYTES)
    throw new FileFailure(`the file would have ${size} bytes; at most ${MAX_FILE_BYTES} can be written`)
  return { bytes: Buffer.from(replaceAt(places, { text, sought, replacement })), count: places.length }
}

/** True if every line ends in CRLF; plain newlines in a model's strings then mean CRLF. */
function hasOnlyCrlf(text: string): boolean {
  let from = text.indexOf('\n')
  if (from < 0) return false
  for (; from >= 0; from = text.indexOf('\n', from + 1)) if (text[from - 1] !== '\r') return false
  return true
}

function replaceAt(
  places: number[],
  { text, sought, replacement }: { text: string; sought: string; replacement: string },
): string {
  const pieces: string[] = []
  let from = 0
  for (const at of places) {
    pieces.push(text.slice(from, at), replacement)
    from = at + sought.length
  }
  return [...pieces, text.slice(from)].join('')
}

function describeMiss(text: string, sought: string, path: string): string {
  const [squeezed, loose] = [squeeze(sought), squeeze(text)]
  const isNear = squeezed !== '' && findOccurrences(squeezed, loose, 1).length > 0
  const hint = isNear
    ? 'it does with other whitespace: compare indentation, tabs, blank lines and line ends'
    : 'it must be the same to the last character, whitespace and indentation included'
  return `old_string does not occur in ${quote(path)}; ${hint}. Read the file again and copy from it`
}

const squeeze = (text: string) => text.replace(/\s+/g, '')

/**
 * Finds the positions of a text in another, from the left, without overlaps, at most `limit`. Takes time linear in both
 * lengths, unlike `indexOf`, which a text of one repeated letter can keep busy for minutes.
 */
function findOccurrences(sought: string, text: string, limit: number): number[] {
  const positions: number[] = []
  const borders = computeBorders(sought)
  let matched = 0
  for (let at = 0; at < text.length && positions.length < limit; at++) {
    const code = text.charCodeAt(at)
    while (matched > 0 && sought.charCodeAt(matched) !== code) matched = borders[matched - 1]!
    if (sought.charCodeAt(matched) === code) matched++
    if (matched === sought.length) {
      positions.push(at + 1 - matched)
      matched = 0
    }
  }
  return positions
}

/** Computes for each prefix of a text the length of its longest proper border (Knuth, Morris, Pratt). */
function computeBorders(text: string): Uint32Array {
  const borders = new Uint32Array(text.length)
  let border = 0
  for (let at = 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    while (border > 0 && text.charCodeAt(border) !== code) border = borders[border - 1]!
    if (text.charCodeAt(border) === code) border++
    borders[at] = border
  }
  return borders
}
