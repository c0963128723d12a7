import { fold } from '#plugin-api'
import { foldTraced } from './folding.ts'
import { toPlainWords } from './plain-words.ts'
import type { Query, Range } from './query.ts'

/** A part of a snippet; `match` is true if it is what was looked for. */
export interface SnippetPart {
  text: string
  match: boolean
}

/** The most characters of a snippet, and the most before its first match. */
const LENGTH = 180
const BEFORE = 50
/** The most places that are looked at for each word of the query. */
const MAX_RANGES = 50

/** The length of the parts in which a long text is read, and the characters that two of them share. */
const PART = 8000
const SHARED = 500

/** Cuts the first part of a Markdown text with many matches, as a line of plain words. */
export function cutMarkdownSnippet(markdown: string, query: Query): SnippetPart[] {
  const has = (text: string) => query.listRanges(fold(text), 1).length > 0
  const part = listParts(markdown).find(has)
  if (part === undefined) return cutSnippet(markdown, query)
  // A word that is only found between marks, as in `un**usual**`, is shown with them.
  const plain = toPlainWords(part, has)
  return cutSnippet(has(plain) ? plain : part, query)
}

/** Cuts the first part of a text with many matches, as one line; the beginning of a text without a match. */
export function cutSnippet(text: string, query: Query): SnippetPart[] {
  for (const part of listParts(text)) {
    if (query.listRanges(fold(part), 1).length === 0) continue
    const parts = cutPart(part, query)
    if (parts) return parts
  }
  const end = findEnd(text, LENGTH)
  return [{ text: text.slice(0, end).replace(/\s+/g, ' '), match: false }]
}

/** Cuts a text into parts, of which each two neighbours share some characters. */
function listParts(text: string): string[] {
  const count = Math.ceil(text.length / (PART - SHARED))
  return Array.from({ length: count }, (_, index) => {
    const start = index * (PART - SHARED)
    return text.slice(start, start + PART)
  })
}

function cutPart(text: string, query: Query): SnippetPart[] | null {
  const { folded, origins } = foldTraced(text)
  const ranges = query
    .listRanges(folded, MAX_RANGES)
    .map(({ start, end }) => ({ start: origins[start]!, end: origins[end]! }))
  if (ranges.length === 0) return null
  const first = findDensest(ranges)
  const start = first.start <= BEFORE ? 0 : findBreak(text, first.start - BEFORE, first.start)
  const end = findEnd(text, Math.max(start + LENGTH, first.end))
  const parts: SnippetPart[] = []
  let at = start
  const add = (to: number, match: boolean) => {
    const part = text.slice(at, to).replace(/\s+/g, ' ')
    if (part !== '') parts.push({ text: part, match })
    at = Math.max(at, to)
  }
  for (const range of ranges) {
    if (range.end > end) break
    if (range.start < at) continue
    add(range.start, false)
    add(range.end, true)
  }
  add(end, false)
  if (start > 0) parts.unshift({ text: '…', match: false })
  if (end < text.length) parts.push({ text: '…', match: false })
  return join(parts)
}

/** Returns the range with which the most others fit into a snippet. */
function findDensest(ranges: readonly Range[]): Range {
  let best = ranges[0]!
  let most = 0
  let last = 0
  for (const [index, range] of ranges.entries()) {
    while (last < ranges.length && ranges[last]!.end <= range.start + LENGTH - BEFORE) last += 1
    if (last - index > most) {
      most = last - index
      best = range
    }
  }
  return best
}

/** Returns the beginning of a word in a range, or else the beginning of a character. */
function findBreak(text: string, from: number, to: number): number {
  const space = text.slice(from, to).search(/\s\S/)
  return space >= 0 ? from + space + 1 : findEnd(text, from)
}

/** Returns a place at which no character is cut in two. */
function findEnd(text: string, index: number): number {
  if (index >= text.length) return text.length
  const isPair = index > 0 && text.codePointAt(index - 1)! > 0xffff
  return isPair ? index + 1 : index
}

/** Joins neighbouring parts of one kind. */
function join(parts: readonly SnippetPart[]): SnippetPart[] {
  const joined: SnippetPart[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (last?.match === part.match) last.text += part.text
    else joined.push({ ...part })
  }
  return joined
}
