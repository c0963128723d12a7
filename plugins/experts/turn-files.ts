/** The files that the turns of an agent have written, and those that are published nevertheless. */
export interface TurnFiles {
  /** True if a turn has written the file and it is not included by name. */
  isLeftOut(path: string): boolean
  /** The names that matched none of the files that `isLeftOut` was called with. */
  unmatched(): string[]
}

/** Makes the filter. `include_files` names files and folders; `.` is the whole workspace. */
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

/** Returns a path in the form of the workspace walk; '' for the whole workspace. */
const normalize = (name: string) =>
  name
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')

const holds = (folder: string, path: string) =>
  folder === '' || path === folder || path.startsWith(`${folder}/`)
