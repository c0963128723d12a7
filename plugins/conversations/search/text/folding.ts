// Makes texts comparable: a reader who types "strasse" or "cafe" means "Straße" and "café" too.

const ASCII = /^[\0-\x7f]*$/

/** The scripts whose marks people leave out; accents are inherited from their letters. */
const MARKED = ['Inherited', 'Hebrew', 'Arabic', 'Cyrillic'].map((script) => `\\p{sc=${script}}`)

/**
 * The marks that people leave out when they type: accents of Latin, Greek and Cyrillic letters, Hebrew and Arabic
 * vowels, the Arabic tatweel, and variation selectors. Marks of other scripts are letters of their own, as the voicing
 * marks of Japanese are.
 */
const MARKS = new RegExp(`\\u0640|[[\\p{M}&&[${MARKED.join('')}]]--[\\u3099\\u309a]]`, 'gv')

/** A part of a text that is folded by itself: a character with its marks, or letters that form Korean syllables. */
const PIECE = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]+|[\s\S][\p{M}\uff9e\uff9f]*/gu

/** Folds a text: compatible characters become one, in lower case, without the marks that people leave out. */
export function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  return (
    text
      .normalize('NFKD')
      .replace(MARKS, '')
      .normalize('NFC')
      // Only upper case makes the same of ß and ss.
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
  )
}

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
