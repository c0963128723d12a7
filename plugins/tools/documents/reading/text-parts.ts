import type { ReadText, Segment } from './blocks.ts'

/**
 * A part of a text, which is handed over and stored as a line of JSON, so that the server never parses a whole text. It
 * ends with its last segment; segments count characters from the beginning of the whole text.
 */
export type TextPart = Pick<ReadText, 'text' | 'segments'>

/** The characters and the segments from which on a part is complete. */
const PART_CHARS = 64 * 1024
const PART_SEGMENTS = 1000

/** Yields the parts of a text. */
export function* splitText({ text, segments }: ReadText): Generator<TextPart> {
  let start = 0
  let part: Segment[] = []
  for (const [index, segment] of segments.entries()) {
    part.push(segment)
    const isComplete = segment.end - start >= PART_CHARS || part.length >= PART_SEGMENTS
    if (!isComplete && index < segments.length - 1) continue
    yield { text: text.slice(start, segment.end), segments: part }
    start = segment.end
    part = []
  }
}
