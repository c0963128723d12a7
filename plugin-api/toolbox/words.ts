/** The scripts that have no spaces between words, or whose words have other words at their ends. */
const UNSPACED = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}`
const UNSPACED_TEXT = new RegExp(`^[${UNSPACED}]`, 'u')
const WORDS = new RegExp(`(?:(?=[${UNSPACED}])\\p{L})+|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+`, 'gu')

/**
 * Splits a text into words without accents, also the parts of `snake_case` and `camelCase`. Of a text without spaces, each
 * character and each pair of characters is a word.
 */
export const toWords = (text: string): string[] => {
  // GitHub is a word, and `getIssue` two.
  const split = `${text} ${text.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')}`.toLowerCase()
  const plain = split.normalize('NFKD').replaceAll(/\p{M}/gu, '').normalize('NFC')
  const words = plain.match(WORDS) ?? []
  return [...new Set(words.flatMap((word) => (UNSPACED_TEXT.test(word) ? toCharacters(word) : toStem(word))))]
}

const toCharacters = (text: string): string[] => {
  const characters = [...text]
  return [...characters, ...characters.slice(1).map((character, index) => characters[index] + character)]
}

/** Returns one form of the forms of an English word: a search that misses is worse than one that finds too much. */
const toStem = (word: string): string =>
  word.length > 3 ? word.replace(/(?:ies|ing|ed|es|(?<!s)s)$/, '').replace(/[ye]$/, '') : word
