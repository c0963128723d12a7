const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu

/** The characters of a token, in scripts with an alphabet. */
const CHARACTERS_PER_TOKEN = 4

/** Estimates the tokens of a text without asking a model. */
export function countTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0
  return wide + (text.length - wide) / CHARACTERS_PER_TOKEN
}
