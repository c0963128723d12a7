const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu

/** The characters of a token, in scripts with an alphabet. */
const CHARACTERS_PER_TOKEN = 4

/** Estimates the tokens of a text; models differ, and none of them is asked. */
export function countTokens(text: string): number {
  const wide = text.match(WIDE)?.length ?? 0
  return wide + (text.length - wide) / CHARACTERS_PER_TOKEN
}
