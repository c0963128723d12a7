import { toLine } from './attributed-words.ts'

/**
 * Describes content that is not text, as `[place: Cafe, Main Street]`, in one line, so that names in it cannot begin lines
 * of their own; empty if no part says anything.
 */
export function describeInBrackets(name: string, parts: readonly string[]): string {
  const words = parts.map(toLine).filter((part) => part !== '')
  return words.length > 0 ? `[${name}: ${[...new Set(words)].join(', ')}]` : ''
}
