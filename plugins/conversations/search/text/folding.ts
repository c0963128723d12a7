import { fold } from '#plugin-api'

/** A part of a text that is folded by itself: a character with its marks, or letters that form Korean syllables. */
const PIECE = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]+|[\s\S][\p{M}\uff9e\uff9f]*/gu

/** A folded text whose places can be found in the text that it was made of. */
export interface TracedText {
  folded: string
  /** The place in the original text of each code unit of the folded text, and the end of the original text. */
  origins: readonly number[]
}

/** Folds a text as `fold` does, and keeps where each character came from. */
export function foldTraced(text: string): TracedText {
  const origins: number[] = []
  let folded = ''
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    const part = fold(piece)
    for (let unit = 0; unit < part.length; unit += 1)
      origins.push(part.length === piece.length ? index + unit : index)
    folded += part
  }
  origins.push(text.length)
  return { folded, origins }
}
