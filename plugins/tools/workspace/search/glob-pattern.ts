import { FileFailure, quote } from '../files/file-failure.ts'

const MAX_SEGMENTS = 1000
const MAX_BRACE_DEPTH = 8
const MAX_ALTERNATIVES = 256
const MAX_EXPANDED_CHARS = 8192

const TOO_MANY = 'the braces of the pattern have too many alternatives, or are nested too deeply'

/** The state of a match: the indexes of the segments that may match the next name. */
export type Progress = readonly number[]

/** A pattern for paths, tried one name at a time on the way down. */
export type GlobPattern = ReturnType<typeof parseGlob>

/** Any number of folders, a name, or undefined for the end of the pattern. */
type Segment = 'folders' | NamePattern | undefined

/**
 * Parses a pattern of `*`, `?`, `[a-z]`, `[!a-z]`, `**` for any folders, and `{a,b}`. Only an explicit dot matches the
 * leading dot of a hidden name. With `anywhere`, a pattern without a slash matches names in all folders. Throws a
 * FileFailure for patterns that could leave the folder, and for patterns that are too large.
 */
export function parseGlob(pattern: string, { anywhere = false } = {}) {
  const alternatives = expandBraces([...pattern]).map((characters) => parseSegments(characters, pattern))
  const segments: Segment[] = []
  const starts: number[] = []
  for (const alternative of alternatives) {
    starts.push(segments.length)
    if (anywhere && alternative.length === 1) segments.push('folders')
    segments.push(...alternative, undefined)
  }
  if (segments.length > MAX_SEGMENTS) throw new FileFailure(`the pattern has more than ${MAX_SEGMENTS} parts`)

  const withNext = (places: Iterable<number>): Progress => {
    const reached = new Set<number>()
    for (const index of places) {
      reached.add(index)
      if (segments[index] === 'folders') reached.add(index + 1)
    }
    return [...reached]
  }
  return {
    start: withNext(starts),
    /** True if the path up to here matches. */
    isMatch: (progress: Progress): boolean => progress.some((index) => segments[index] === undefined),
    /** True if paths below can match. */
    canContinue: (progress: Progress): boolean => progress.some((index) => segments[index] !== undefined),
    /** Returns the state after one more name of the path. */
    step(progress: Progress, name: string): Progress {
      const characters = [...name]
      const next: number[] = []
      for (const index of progress) {
        const segment = segments[index]
        if (segment === 'folders') {
          if (characters[0] !== '.') next.push(index)
        } else if (segment?.matches(characters)) next.push(index + 1)
      }
      return withNext(next)
    },
  }
}

function parseSegments(characters: readonly string[], pattern: string): Exclude<Segment, undefined>[] {
  if (characters.includes('\0')) throw new FileFailure('the pattern contains a NUL character')
  if (characters[0] === '/')
    throw new FileFailure(`${quote(pattern)} is absolute; patterns are relative to the folder searched`)
  if (characters.at(-1) === '/')
    throw new FileFailure(
      `${quote(pattern)} ends with a slash, but only files are found; add ** for all below`,
    )
  const segments: Exclude<Segment, undefined>[] = []
  for (const part of split(characters)) {
    if (part.join('') === '**') {
      if (segments.at(-1) !== 'folders') segments.push('folders')
      continue
    }
    const name = parseNamePattern(part)
    if (name.literal === '..')
      throw new FileFailure(`${quote(pattern)} has "..", which patterns may not have`)
    if (name.literal !== '' && name.literal !== '.') segments.push(name)
  }
  if (segments.length === 0) throw new FileFailure('the pattern names nothing')
  if (segments.at(-1) === 'folders') segments.push(parseNamePattern(['*']))
  return segments
}

/** Splits a pattern at slashes, which a backslash does not escape. */
function split(characters: readonly string[]): string[][] {
  const parts: string[][] = [[]]
  for (const character of characters) {
    if (character === '/') parts.push([])
    else parts.at(-1)!.push(character)
  }
  return parts
}

/**
 * Expands the braces of a pattern, given as characters: `a{b,c}` becomes `ab` and `ac`. A backslash escapes the next
 * character; braces without a comma or without a counterpart are literal. Throws a FileFailure if there are too many
 * alternatives.
 */
function expandBraces(pattern: readonly string[]): string[][] {
  const groups = findGroups(pattern)

  const expand = (from: number, to: number, depth: number): string[][] => {
    if (depth > MAX_BRACE_DEPTH) throw new FileFailure(TOO_MANY)
    let expanded: string[][] = [[]]
    const append = (tails: readonly string[][]) => {
      if (expanded.length * tails.length > MAX_ALTERNATIVES) throw new FileFailure(TOO_MANY)
      expanded = expanded.flatMap((head) => tails.map((tail) => [...head, ...tail]))
      if (expanded.reduce((sum, { length }) => sum + length, 0) > MAX_EXPANDED_CHARS)
        throw new FileFailure(TOO_MANY)
    }
    for (let at = from, plain = from; ; at++) {
      const group = groups.get(at)
      if (at >= to || group) append([pattern.slice(plain, Math.min(at, to))])
      if (at >= to) return expanded
      if (!group) continue
      append(splitGroup(group).flatMap(([start, end]) => expand(start, end, depth + 1)))
      at = group.at(-1)!
      plain = at + 1
    }
  }
  return expand(0, pattern.length, 0)
}

/** Finds the groups by their opening brace: the positions of the brace, its commas and its closing brace. */
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

const splitGroup = (group: number[]): [start: number, end: number][] =>
  group.slice(1).map((end, index) => [group[index]! + 1, end])

/** An element of a name pattern. */
type Token =
  | { type: 'character'; value: string }
  | { type: 'any' }
  | { type: 'many' }
  | { type: 'class'; ranges: [from: string, to: string][]; negated: boolean }

/** A pattern for one name of a path. */
type NamePattern = ReturnType<typeof parseNamePattern>

/** Parses the characters of a pattern: `*`, `?`, `[a-z]`, `[!a-z]`, and a backslash before a literal character. */
function parseNamePattern(characters: readonly string[]) {
  const tokens = parseTokens(characters)
  const isPlain = tokens.every(({ type }) => type === 'character')
  const first = tokens[0]
  const showsHidden = first?.type === 'character' && first.value === '.'
  return {
    /** The only matching name, if the pattern has no wildcards. */
    literal: isPlain ? tokens.map((token) => (token as { value: string }).value).join('') : undefined,
    matches: (name: readonly string[]): boolean =>
      (showsHidden || name[0] !== '.') && matchTokens(tokens, name),
  }
}

function parseTokens(characters: readonly string[]): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < characters.length; at++) {
    const value = characters[at]!
    if (value === '*') {
      if (tokens.at(-1)?.type !== 'many') tokens.push({ type: 'many' })
    } else if (value === '?') tokens.push({ type: 'any' })
    else if (value === '[') {
      const bracket = readClass(characters, at)
      tokens.push(bracket?.token ?? { type: 'character', value })
      at = bracket?.end ?? at
    } else if (value === '\\' && at + 1 < characters.length)
      tokens.push({ type: 'character', value: characters[++at]! })
    else tokens.push({ type: 'character', value })
  }
  return tokens
}

/** Reads the class that begins at a bracket, and its end; returns undefined if the bracket is not closed. */
function readClass(characters: readonly string[], start: number): { token: Token; end: number } | undefined {
  const negated = ['!', '^'].includes(characters[start + 1] ?? '')
  const first = start + (negated ? 2 : 1)
  const ranges: [string, string][] = []
  for (let at = first; at < characters.length; at++) {
    if (characters[at] === ']' && at > first) return { token: { type: 'class', ranges, negated }, end: at }
    const from = characters[characters[at] === '\\' && at + 1 < characters.length ? ++at : at]!
    const to = characters[at + 2]
    const isRange = characters[at + 1] === '-' && to !== undefined && to !== ']'
    ranges.push([from, isRange ? to : from])
    if (isRange) at += 2
  }
  return undefined
}

/** Backtracks to the last star only, so the steps are bounded by the product of the lengths. */
function matchTokens(tokens: readonly Token[], name: readonly string[]): boolean {
  let [token, at] = [0, 0]
  let star = -1
  let starAt = 0
  while (at < name.length) {
    const current = tokens[token]
    if (current?.type === 'many') {
      star = token++
      starAt = at
    } else if (current && accepts(current, name[at]!)) {
      token++
      at++
    } else if (star >= 0) {
      token = star + 1
      at = ++starAt
    } else return false
  }
  if (tokens[token]?.type === 'many') token++
  return token === tokens.length
}

function accepts(token: Token, character: string): boolean {
  if (token.type === 'character') return token.value === character
  if (token.type !== 'class') return true
  const code = character.codePointAt(0)!
  return (
    token.ranges.some(([from, to]) => from.codePointAt(0)! <= code && code <= to.codePointAt(0)!) !==
    token.negated
  )
}
