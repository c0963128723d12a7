// The terms under which a text is found: beginnings of its words, and characters and pairs of characters of its runs.

import { fold } from '#plugin-api'
import { listTokens, type Token } from './tokens.ts'

/** The lengths of the beginnings that find a word; only the whole of a shorter word finds it. */
const BEGINNINGS = [3, 5, 8]

/** The length from which a word is also found by its beginning. */
export const SHORTEST_BEGINNING = BEGINNINGS[0]!

/** Terms, each with the number of bits that it sets in a filter. */
export type Terms = ReadonlyMap<string, number>

/** The more messages have a term, the fewer bits it needs; a text in Chinese has many characters and pairs of them. */
const BITS = { character: 1, pair: 2, short: 3, long: 2 }

/** Adds the terms that a text with this token has. */
export function addTerms({ text, is_run }: Token, terms: Map<string, number>): void {
  if (is_run) {
    let previous = ''
    for (const character of text) {
      terms.set(character, BITS.character)
      if (previous !== '') terms.set(previous + character, BITS.pair)
      previous = character
    }
  } else if (text.length < SHORTEST_BEGINNING) terms.set(text, BITS.short)
  else
    for (const length of BEGINNINGS)
      if (text.length >= length)
        terms.set(text.slice(0, length), length === SHORTEST_BEGINNING ? BITS.short : BITS.long)
}

/** The most characters of a text that are searched; a pattern fails on words of some million characters. */
export const MAX_CHARACTERS = 1_000_000

/** Returns the terms of a text. */
export function toTerms(text: string): Terms {
  const terms = new Map<string, number>()
  const tokens = new Set<string>()
  // Some characters are folded into several.
  for (const token of listTokens(fold(text).slice(0, MAX_CHARACTERS))) {
    if (tokens.has(token.text)) continue
    tokens.add(token.text)
    addTerms(token, terms)
  }
  return terms
}
