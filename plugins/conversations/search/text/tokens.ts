// Cuts folded texts into words, and into runs of the scripts that have no spaces between words.

/** Scripts without spaces between words; Korean words have endings that a query leaves out; emojis need none. */
const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u30fc\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{Extended_Pictographic}\p{RI}`
const LETTERS = String.raw`\p{L}\p{N}\p{M}`

const TOKENS = new RegExp(`([${UNSPACED}]+)|[[${LETTERS}]--[${UNSPACED}]]+`, 'gv')
const LETTER = new RegExp(`[[${LETTERS}]--[${UNSPACED}]]`, 'v')
const TOKEN_CHARACTER = new RegExp(`[${LETTERS}${UNSPACED}]`, 'v')
const ASCII = /^[\0-\x7f]*$/
const ASCII_WORDS = /[a-z0-9]+/g

/** A word, or a run of characters without spaces. */
export interface Token {
  text: string
  is_run: boolean
}

/** Lists the words and runs of a folded text, in order. */
export function* listTokens(folded: string): Generator<Token> {
  if (ASCII.test(folded)) for (const [text] of folded.matchAll(ASCII_WORDS)) yield { text, is_run: false }
  else for (const [text, run] of folded.matchAll(TOKENS)) yield { text, is_run: run !== undefined }
}

/** Returns the character that begins at a place of a text; empty at its end. */
const characterAt = (text: string, index: number) => {
  const code = text.codePointAt(index)
  return code === undefined ? '' : String.fromCodePoint(code)
}

/** Returns the character that ends before a place of a text. */
function characterBefore(text: string, index: number): string {
  if (index === 0) return ''
  const isPair = index > 1 && text.codePointAt(index - 2)! > 0xffff
  return characterAt(text, isPair ? index - 2 : index - 1)
}

/** True if a word of spaced letters goes on across this place. */
export const isInsideWord = (text: string, index: number): boolean =>
  LETTER.test(characterBefore(text, index)) && LETTER.test(characterAt(text, index))

/** Returns the next place that is not between words and runs, at most `most` characters further on. */
export function skipSeparators(text: string, index: number, most: number): number {
  for (let end = index; end - index <= most; ) {
    const character = characterAt(text, end)
    if (character === '' || TOKEN_CHARACTER.test(character)) return end
    end += character.length
  }
  return index
}
