import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Segment } from './reading/blocks.ts'
import type { TextPart } from './reading/text-parts.ts'

/** A page of a document; documents without pages have parts of about equal length instead, which are numbered alike. */
export interface DocumentPage {
  page: number
  text: string
}

/** A segment of a document with its text; `gap` is the space between it and the one before. */
export interface DocumentSegment extends Omit<Segment, 'start' | 'end'> {
  gap: string
  text: string
}

/** The characters from which on a part of a document without pages is complete. */
const PART_CHARS = 4000

/**
 * Yields the pages of a stored text in their order, those without text too; `pages` is their number, null for documents
 * that have none. Holds one page and one part of the file at a time.
 */
export async function* readStoredPages(path: string, pages: number | null): AsyncGenerator<DocumentPage> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity })
  let current: DocumentPage = { page: 1, text: '' }
  let end = 0
  for await (const line of lines) {
    const { text, segments } = JSON.parse(line) as TextPart
    const offset = end
    for (const segment of segments) {
      const isNext = pages === null ? current.text.length >= PART_CHARS : segment.page! > current.page
      if (isNext) {
        const next = pages === null ? current.page + 1 : segment.page!
        for (; current.page < next; current = { page: current.page + 1, text: '' }) yield current
      }
      // The line breaks before a page are part of none.
      const from = current.text === '' ? segment.start : end
      current.text += text.slice(from - offset, segment.end - offset)
      end = segment.end
    }
  }
  const last = pages ?? current.page
  for (; current.page <= last; current = { page: current.page + 1, text: '' }) yield current
}

/** Yields the segments of a stored text in their order. Holds one part of the file at a time. */
export async function* readStoredSegments(path: string): AsyncGenerator<DocumentSegment> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Infinity })
  let last = 0
  let offset = 0
  for await (const line of lines) {
    const { text, segments } = JSON.parse(line) as TextPart
    for (const { start, end, ...segment } of segments) {
      yield {
        ...segment,
        gap: text.slice(last - offset, start - offset),
        text: text.slice(start - offset, end - offset),
      }
      last = end
    }
    offset += text.length
  }
}
