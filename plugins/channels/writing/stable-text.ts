import type { Survey } from './survey.ts'

/** The beginning of a message that later text cannot change. */
export interface Stable {
  /** Its end in the source. */
  place: number
  /** The rendered text. */
  text: string
}

const BLOCK_END = /\n[ \t\r]*\n(?=\S)/g

/** Lists the ends of blocks: an empty line followed by an unindented line, outside code. */
export function listBlockEnds(markdown: string, from: number, to: number, { lines }: Survey): number[] {
  return Array.from(
    markdown.slice(from, to).matchAll(BLOCK_END),
    ({ index, 0: gap }) => from + index + gap.length,
  ).filter((end) => !lines.findLast(({ place }) => place <= end)?.open)
}
