import { FileFailure } from '../files/file-failure.ts'

const MAX_DEPTH = 8
const MAX_ALTERNATIVES = 256
const MAX_LENGTH = 8192

const TOO_MANY = 'the braces of the pattern stand for too many alternatives, or are nested too deeply'

/**
 * Writes out the braces of a pattern, given as characters: `a{b,c}` is `ab` and `ac`. A backslash takes the next
 * character's meaning away; braces without a comma, or without their other half, stand for themselves. Throws a
 * FileFailure beyond what can be searched for.
 */
export function expandBraces(pattern: readonly string[]): string[][] {
  const groups = findGroups(pattern)

  const expand = (from: number, to: number, depth: number): string[][] => {
    if (depth > MAX_DEPTH) throw new FileFailure(TOO_MANY)
    let expanded: string[][] = [[]]
    const append = (tails: readonly string[][]) => {
      if (expanded.length * tails.length > MAX_ALTERNATIVES) throw new FileFailure(TOO_MANY)
      expanded = expanded.flatMap((head) => tails.map((tail) => [...head, ...tail]))
      if (expanded.reduce((sum, { length }) => sum + length, 0) > MAX_LENGTH) throw new FileFailure(TOO_MANY)
    }
    for (let at = from, plain = from; ; at++) {
      const group = groups.get(at)
      if (at >= to || group) append([pattern.slice(plain, Math.min(at, to))])
      if (at >= to) return expanded
      if (!group) continue
      append(partsOf(group).flatMap(([start, end]) => expand(start, end, depth + 1)))
      at = group.at(-1)!
      plain = at + 1
    }
  }
  return expand(0, pattern.length, 0)
}

/** For each opening brace that makes a group: where it, its commas and its closing brace stand. */
function findGroups(pattern: readonly string[]): Map<number, number[]> {
  const groups = new Map<number, number[]>()
  const open: number[][] = []
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]
    if (character === '\\') at++
    else if (character === '{') open.push([at])
    else if (character === ',') open.at(-1)?.push(at)
    else if (character === '}') {
      const group = open.pop()
      if (group && group.length > 1) groups.set(group[0]!, [...group, at])
    }
  }
  return groups
}

const partsOf = (group: number[]): [start: number, end: number][] =>
  group.slice(1).map((end, index) => [group[index]! + 1, end])
