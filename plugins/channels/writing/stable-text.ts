import type { PartStart } from './part-source.ts'
import type { Survey } from './survey.ts'

/** The beginning of a message that nothing which is still to come will change. */
export interface Stable {
  /** Where it ends in the source. */
  place: number
  /** As it is rendered. */
  text: string
}

const BLOCK_END = /\n[ \t\r]*\n(?=\S)/g

/** What may begin a mark that ends later in the line. */
const MARK = /[*_~`[<|!]/

/** The ends of blocks behind a place: an empty line, and something behind it that does not go on with what stood before. */
export function blockEnds(markdown: string, from: number, to: number, { lines }: Survey): number[] {
  return Array.from(
    markdown.slice(from, to).matchAll(BLOCK_END),
    ({ index, 0: gap }) => from + index + gap.length,
  ).filter((end) => !lines.findLast(({ place }) => place <= end)?.open)
}

/**
 * The end of what may be shown of a text that is shown as it was written: whole lines, and of the last one whole words up
 * to the first mark. A message that is nearly full is shown by lines, so that it does not end in the middle of one.
 */
export function shownEnd(markdown: string, { content }: PartStart, { reach, late, lines }: Survey): number {
  const line = Math.max(content, lines.at(-1)!.place)
  if (line >= late) return line
  const words = markdown.slice(line, Math.min(reach, late)).split(MARK, 1)[0]!
  return line + /^(?:.*\s)?/.exec(words)![0].length
}
