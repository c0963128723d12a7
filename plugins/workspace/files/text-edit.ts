import { FileFailure, quote } from './file-failure.ts'
import { MAX_FILE_BYTES } from './file-replacement.ts'
import { occurrencesOf } from './text-search.ts'

const MAX_REPLACEMENTS = 100_000

/** What is to be put for what in a file. */
export interface Edit {
  path: string
  old_string: string
  new_string: string
  replace_all: boolean
}

/** Carries out an edit on a file's bytes; throws a FileFailure that says why it cannot be done. */
export function applyEdit(bytes: Buffer, edit: Edit): { bytes: Buffer; count: number } {
  const text = decode(bytes)
  if (text === undefined)
    throw new FileFailure(`${quote(edit.path)} is not UTF-8 text (${bytes.length} bytes)`)
  const toFile = hasCrlfOnly(text) ? (part: string) => part.replace(/\r?\n/g, '\r\n') : (part: string) => part
  const [sought, replacement] = [toFile(edit.old_string), toFile(edit.new_string)]
  if (sought === replacement)
    throw new FileFailure('with the line endings of the file, both strings are the same')

  const places = occurrencesOf(sought, text, MAX_REPLACEMENTS + 1)
  const counted = places.length > MAX_REPLACEMENTS ? `more than ${MAX_REPLACEMENTS}` : `${places.length}`
  if (places.length === 0) throw new FileFailure(notFound(text, sought, edit.path))
  if (places.length > 1 && !edit.replace_all)
    throw new FileFailure(
      `old_string occurs ${counted} times in ${quote(edit.path)}; give more of the lines around it, or set replace_all`,
    )
  if (places.length > MAX_REPLACEMENTS)
    throw new FileFailure(`old_string occurs ${counted} times in ${quote(edit.path)}; that is too often`)

  const size = bytes.length + places.length * (Buffer.byteLength(replacement) - Buffer.byteLength(sought))
  if (size > MAX_FILE_BYTES)
    throw new FileFailure(`the file would have ${size} bytes; at most ${MAX_FILE_BYTES} can be written`)
  return { bytes: Buffer.from(putAt(places, { text, sought, replacement })), count: places.length }
}

/** Keeps a byte order mark as the character that it is. */
function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** In such a file, a model that writes its strings with plain newlines means the line ends that are there. */
function hasCrlfOnly(text: string): boolean {
  let from = text.indexOf('\n')
  if (from < 0) return false
  for (; from >= 0; from = text.indexOf('\n', from + 1)) if (text[from - 1] !== '\r') return false
  return true
}

function putAt(
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

function notFound(text: string, sought: string, path: string): string {
  const [squeezed, loose] = [squeeze(sought), squeeze(text)]
  const isNear = squeezed !== '' && occurrencesOf(squeezed, loose, 1).length > 0
  const hint = isNear
    ? 'it does with other whitespace: compare indentation, tabs, blank lines and line ends'
    : 'it must be the same to the last character, whitespace and indentation included'
  return `old_string does not occur in ${quote(path)}; ${hint}. Read the file again and copy from it`
}

const squeeze = (text: string) => text.replace(/\s+/g, '')
