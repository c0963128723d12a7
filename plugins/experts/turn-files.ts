/** The files that the turns of an agent have written, and those of them that are to be published all the same. */
export interface TurnFiles {
  /** Whether a file stays behind because a turn has written it. */
  isLeftOut(path: string): boolean
  /** The names that no file had which `isLeftOut` was asked about. */
  unmatched(): string[]
}

/** `include_files` names files and folders; `.` is the whole workspace. */
export function createTurnFiles(
  written: ReadonlySet<string>,
  include_files: readonly string[] = [],
): TurnFiles {
  const included = include_files.map((name) => ({ name, path: normalize(name), isMatched: false }))

  return {
    isLeftOut(path) {
      const matching = included.filter((one) => holds(one.path, path))
      for (const one of matching) one.isMatched = true
      return matching.length === 0 && written.has(path)
    },
    unmatched: () => included.flatMap(({ name, isMatched }) => (isMatched ? [] : [name])),
  }
}

/** A path as the walk through a workspace names it; '' for all of it. */
const normalize = (name: string) =>
  name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')

const holds = (folder: string, path: string) =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)
