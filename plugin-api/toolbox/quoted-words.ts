/** All ends of lines that a model or a person may see as one. */
export const LINE_BREAK = /\r\n|[\n\v\f\r\x85\u2028\u2029]/g

/** Matches control characters, and the marks that change the direction of the text behind them. */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Returns a name in one line, so that it cannot write lines of its own into a prompt. */
export const toLine = (name: string): string => name.replace(CONTROL, ' ').replace(/\s+/g, ' ').trim()

/** Indents all lines of somebody's words but the first, so that none looks like the beginning of another's words. */
export const indentWords = (words: string): string => words.replace(LINE_BREAK, '\n  ')

/** Writes somebody's words behind the name of the person. */
export const attributeWords = (name: string, words: string): string =>
  `${toLine(name)}: ${indentWords(words)}`
/**
 * Describes content that is not text, as `[place: Cafe, Main Street]`, in one line, so that names in it cannot begin lines
 * of their own; empty if no part says anything.
 */
export function describeInBrackets(name: string, parts: readonly string[]): string {
  const words = parts.map(toLine).filter((part) => part !== '')
  return words.length > 0 ? `[${name}: ${[...new Set(words)].join(', ')}]` : ''
}
