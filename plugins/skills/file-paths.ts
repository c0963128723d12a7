import { AppError } from '#kernel'
import { LIMITS, tooLarge } from './limits.ts'

/** The refusal of an archive, or of a list of files, with the entry that is wrong if it is one. */
export const invalid = (reason: string, entry: string | null = null, options?: ErrorOptions): AppError =>
  new AppError('SKILL_ARCHIVE_INVALID', { reason, entry: entry?.slice(0, 512) ?? null }, options)

/**
 * Makes the check of the paths of one archive, which gives the names of a path. Throws SKILL_ARCHIVE_INVALID for what
 * is no plain relative path or is, on some system, the same file as another one.
 */
export function createPathCheck(): (path: string, isFolder: boolean) => string[] {
  /** What each path is, by what it is on a system that knows neither case nor forms of Unicode. */
  const known = new Map<string, { path: string; isFolder: boolean }>()

  const assertDistinct = (path: string, isFolder: boolean, isWhole: boolean) => {
    const key = path.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC')
    const other = known.get(key)
    known.set(key, { path, isFolder })
    if (!other) return
    if (other.path !== path) throw invalid('two names differ only in case or Unicode form', path)
    if (other.isFolder !== isFolder) throw invalid('the name of a file is that of a folder as well', path)
    if (isWhole && !isFolder) throw invalid('a file is there twice', path)
  }

  return (path, isFolder) => {
    const names = (isFolder ? path.replace(/\/$/, '') : path).split('/')
    if (/[\p{Cc}\p{Cs}\ufffd]/u.test(path)) throw invalid('a name holds what is no printable text', path)
    if (path.includes('\\')) throw invalid('a name holds a backslash', path)
    if (path.startsWith('/')) throw invalid('a path is absolute', path)
    if (/^[a-z]:/i.test(path)) throw invalid('a path names a drive', path)
    if (names.includes('..')) throw invalid('a path leads upwards', path)
    if (names.some((name) => name === '' || name === '.')) throw invalid('a path holds an empty name', path)
    if (names.some((name) => Buffer.byteLength(name) > LIMITS.name_bytes)) throw tooLarge('name_bytes')
    for (let length = 1; length <= names.length; length++) {
      const isWhole = length === names.length
      assertDistinct(names.slice(0, length).join('/'), !isWhole || isFolder, isWhole)
    }
    return names
  }
}
