import type { Place } from './html-places.ts'
import { ReadingFailure } from './reading-failure.ts'

/**
 * A part of a document in reading order; pages and slides count from 1. A block of a web page has the characters at which
 * its segments begin, in its tidy text, and the place of each.
 */
export type Block = { text: string; page?: number; places?: readonly { at: number; anchor?: Place }[] } & (
  | { kind: 'heading'; level: number }
  | { kind: 'text' | 'row' | 'code' }
)

/**
 * A range of characters of a document's text that belong together; `heading` is the path of headings above it. A very long
 * block is several segments.
 */
export interface Segment {
  kind: Block['kind']
  start: number
  end: number
  page?: number
  heading?: string
  /** The place on a web page. */
  anchor?: Place
}

/** The text of a document as it was read. */
export interface ReadText {
  text: string
  segments: Segment[]
  title?: string
  /** The number of pages or slides, for formats that have them. */
  pages?: number
}

/** Joins the headings of a path. */
const PATH_SEPARATOR = ' › '
/** The longest path of headings. */
const MAX_HEADING = 300
/** The longest segment, because readers of a text hold some of them at a time. */
const MAX_SEGMENT = 32 * 1024
/** The most characters that are kept of a document. */
const MAX_TEXT = 20_000_000

/** Lays out blocks as one text. Throws DOCUMENT_EMPTY or DOCUMENT_TOO_LARGE. */
export function layOut(blocks: Iterable<Block>, pages?: number): ReadText {
  const parts: string[] = []
  const segments: Segment[] = []
  const path: { level: number; text: string }[] = []
  let length = 0
  let lastKind: Block['kind'] | undefined

  for (const block of blocks) {
    const text = tidy(block)
    // A heading without text ends the parts above it, such as the slide before one without a title.
    if (block.kind === 'heading') while (path.length > 0 && path.at(-1)!.level >= block.level) path.pop()
    if (text === '') continue
    if (block.kind === 'heading')
      path.push({ level: block.level, text: text.slice(0, MAX_HEADING).replace(/\s+/g, ' ') })
    const gap = lastKind === undefined ? '' : lastKind === 'row' && block.kind === 'row' ? '\n' : '\n\n'
    const start = length + gap.length
    parts.push(gap, text)
    length = start + text.length
    if (length > MAX_TEXT) throw new ReadingFailure('DOCUMENT_TOO_LARGE')
    const heading = path
      .map((each) => each.text)
      .join(PATH_SEPARATOR)
      .slice(0, MAX_HEADING)
    for (const { from, to, anchor } of splitBlock(block, text.length))
      segments.push({
        kind: block.kind,
        start: start + from,
        end: start + to,
        ...(block.page !== undefined && { page: block.page }),
        ...(heading && { heading }),
        ...(anchor && { anchor }),
      })
    lastKind = block.kind
  }
  if (segments.length === 0) throw new ReadingFailure('DOCUMENT_EMPTY')
  return { text: parts.join(''), segments, ...(pages !== undefined && { pages }) }
}

/** Yields the segments of a block; places that a shorter text lacks are left out. */
function* splitBlock({ places = [{ at: 0 }] }: Block, length: number) {
  for (const [index, { at, anchor }] of places.entries()) {
    const end = Math.min(length, places[index + 1]?.at ?? length)
    for (let from = at; from < end; from += MAX_SEGMENT)
      yield { from, to: Math.min(end, from + MAX_SEGMENT), anchor: from === at ? anchor : undefined }
  }
}

/** Removes what is not text, and surplus space; code keeps its indentation. */
export function tidy({ kind, text }: Pick<Block, 'kind' | 'text'>): string {
  const clean = text
    .replace(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/g, '')
    .toWellFormed()
  if (kind === 'code') return clean.replace(/^\n+/, '').trimEnd()
  return clean
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .trim()
}
