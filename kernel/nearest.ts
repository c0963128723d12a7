import { closest, distance } from 'fastest-levenshtein'

/** Returns a question, to follow after a sentence, about the name that may have been meant; empty if none is similar. */
export function askForNearest(name: string, names: readonly string[]): string {
  const nearest = closest(name, names)
  return distance(name, nearest) <= name.length / 3 ? ` Did you mean "${nearest}"?` : ''
}
