import type { Survey } from './survey.ts'

/** The beginning of a message that nothing which is still to come will change. */
export interface Stable {
  /** Where it ends in the source. */
  place: number
  /** As it is rendered. */
  text: string
}

const BLOCK_END = /\n[ \t\r]*\n(?=\S)/g

/** The ends of blocks behind a place: an empty line, and something behind it that does not go on with what stood before. */
export function blockEnds(markdown: string, from: number, to: number, { lines }: Survey): number[] {
  return Array.from(
    markdown.slice(from, to).matchAll(BLOCK_END),
    ({ index, 0: gap }) => from + index + gap.length,
  ).filter((end) => !lines.findLast(({ place }) => place <= end)?.open)
}
