import { closest, distance } from 'fastest-levenshtein'

/** Returns a question, to be put behind a sentence without its full stop, about the name that may have been meant; empty if none is similar. */
export function askForNearest(name: string, names: Iterable<string>): string {
  const nearest = closest(name, [...names])
  return nearest && isSimilar(name, nearest) ? `. Did you mean "${nearest}"?` : ''
}

/** Returns the same question or, if no name is similar, a list: of the names with the same first part, else of all. */
export function nameNearest(name: string, names: Iterable<string>): string {
  const sorted = [...names].sort()
  const question = askForNearest(name, sorted)
  if (question || sorted.length === 0) return question
  const family = familyOf(name)
  const relatives = sorted.filter((other) => family && other.startsWith(family))
  return relatives.length > 0
    ? `. Known names that begin with "${family}": ${relatives.join(', ')}`
    : `. Known names: ${sorted.join(', ')}`
}

/** Returns the first part of a name with its dot, such as `agent.`; empty if it has one part only. */
const familyOf = (name: string) => name.slice(0, name.indexOf('.') + 1)

/** True if at most a third of the letters differ; a first part that both share does not count. */
function isSimilar(name: string, other: string): boolean {
  const family = familyOf(name)
  const ownLength = other.startsWith(family) ? name.length - family.length : name.length
  return distance(name, other) <= Math.max(1, ownLength / 3)
}
