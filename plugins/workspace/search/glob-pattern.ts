import { FileFailure, quote } from '../files/file-failure.ts'
import { expandBraces } from './braces.ts'
import { type NamePattern, parseNamePattern } from './name-pattern.ts'

const MAX_SEGMENTS = 1000

/** How far a path has matched: which segments of a pattern may come next. */
export type Progress = readonly number[]

/** A pattern for paths, tried one name at a time on the way down. */
export interface GlobPattern {
  start: Progress
  /** How far it is after one more name of the path. */
  step(progress: Progress, name: string): Progress
  /** Whether the path up to here matches. */
  isMatch(progress: Progress): boolean
  /** Whether paths below can match. */
  leadsOn(progress: Progress): boolean
}

/** Any number of folders, or a name; where the pattern ends, undefined. */
type Segment = 'folders' | NamePattern | undefined

/**
 * Makes a pattern of `*`, `?`, `[a-z]`, `[!a-z]`, `**` for any folders, and `{a,b}`. Only a pattern's own dot matches
 * the dot that hides a name. With `anywhere`, a pattern without a slash is meant for names in all folders. Throws a
 * FileFailure for patterns that could lead out of a folder, and for too large ones.
 */
export function parseGlob(pattern: string, { anywhere = false } = {}): GlobPattern {
  const alternatives = expandBraces([...pattern]).map((characters) => segmentsOf(characters, pattern))
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
    for (const place of places) {
      reached.add(place)
      if (segments[place] === 'folders') reached.add(place + 1)
    }
    return [...reached]
  }
  return {
    start: withNext(starts),
    isMatch: (progress) => progress.some((place) => segments[place] === undefined),
    leadsOn: (progress) => progress.some((place) => segments[place] !== undefined),
    step(progress, name) {
      const characters = [...name]
      const next: number[] = []
      for (const place of progress) {
        const segment = segments[place]
        if (segment === 'folders') {
          if (characters[0] !== '.') next.push(place)
        } else if (segment?.matches(characters)) next.push(place + 1)
      }
      return withNext(next)
    },
  }
}

function segmentsOf(characters: readonly string[], pattern: string): Exclude<Segment, undefined>[] {
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

/** The parts between slashes, none of which a backslash can make a part of a name. */
function split(characters: readonly string[]): string[][] {
  const parts: string[][] = [[]]
  for (const character of characters) {
    if (character === '/') parts.push([])
    else parts.at(-1)!.push(character)
  }
  return parts
}
