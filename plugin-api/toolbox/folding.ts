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
