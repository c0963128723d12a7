import type { ReadText, Segment } from './blocks.ts'

/**
 * A part of a text, which is handed over and stored as a line of JSON, so that the server never parses a whole text.
 * Its segments count characters from the beginning of the whole text.
 */
export type TextPart = Pick<ReadText, 'text' | 'segments'>

/** The characters and the segments of a part. */
const PART_CHARS = 64 * 1024
const PART_SEGMENTS = 1000

/** Yields the parts of a text. */
export function* splitText({ text, segments }: ReadText): Generator<TextPart> {
  const count = Math.max(Math.ceil(text.length / PART_CHARS), Math.ceil(segments.length / PART_SEGMENTS))
  for (let index = 0; index < count; index += 1)
    yield {
      text: text.slice(index * PART_CHARS, (index + 1) * PART_CHARS),
      segments: segments.slice(index * PART_SEGMENTS, (index + 1) * PART_SEGMENTS),
    }
}

/** Joins the parts of a text. */
export function joinParts(parts: readonly TextPart[]): ReadText {
  const segments: Segment[] = []
  for (const part of parts) for (const segment of part.segments) segments.push(segment)
  return { text: parts.map(({ text }) => text).join(''), segments }
}
