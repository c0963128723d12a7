import { AppError } from '#plugin-api'
import { TreeAccessError, TreeLimitError, type TreeLimits } from './tree-copy.ts'

/** The pattern of slugs, which are names of folders. */
export const SLUG_PATTERN = '^[a-z0-9][a-z0-9_-]{0,63}$'

/** The most names of a path that is checked, which may lead to a skill of less depth inside an archive. */
const MAX_PATH_NAMES = 64

const SLUG = new RegExp(SLUG_PATTERN)

export const isSlug = (text: string): boolean => SLUG.test(text)

/** Returns the slug in the path of a request that creates a skill; throws VALIDATION_FAILED. */
export function assertSlug(slug: string): string {
  if (isSlug(slug)) return slug
  const issue = { path: '/slug', rule: 'pattern', message: `must match pattern "${SLUG_PATTERN}"` }
  throw new AppError('VALIDATION_FAILED', { issues: [issue] })
}

/** The limits of one skill; a package as a whole has the same limits of files and bytes. */
export const LIMITS: TreeLimits = { files: 2000, bytes: 64 * 1024 * 1024, depth: 16, name_bytes: 255 }

/** Creates the error for an exceeded limit of a skill or of a package. */
export const createTooLarge = (limit: keyof TreeLimits, of: 'skill' | 'package' = 'skill'): AppError =>
  new AppError('SKILL_TOO_LARGE', { of, limit, max: LIMITS[limit] })

/** Throws SKILL_TOO_LARGE if files or bytes exceed the limits. */
export function assertFits(
  counts: { files: number; bytes: number },
  of: 'skill' | 'package' = 'skill',
): void {
  if (counts.files > LIMITS.files) throw createTooLarge('files', of)
  if (counts.bytes > LIMITS.bytes) throw createTooLarge('bytes', of)
}

/** Runs work on the tree of a skill and converts errors of the tree to SKILL_TOO_LARGE or SKILL_UNREADABLE. */
export async function explainTreeErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TreeLimitError) throw createTooLarge(error.limit)
    if (error instanceof TreeAccessError)
      throw new AppError('SKILL_UNREADABLE', { path: error.path }, { cause: error })
    throw error
  }
}

/** Creates the error for an invalid archive or list of files, with the invalid entry if there is one. */
export const createInvalid = (
  reason: string,
  entry: string | null = null,
  options?: ErrorOptions,
): AppError => new AppError('SKILL_ARCHIVE_INVALID', { reason, entry: entry?.slice(0, 512) ?? null }, options)

/**
 * Creates the check of the paths in one archive, which splits a path into names. Throws SKILL_ARCHIVE_INVALID unless
 * it is a plain relative path, and for a path that some systems cannot distinguish from another one.
 */
export function createPathCheck(): (path: string, isFolder: boolean) => string[] {
  /** Each path by its form on a system that ignores case and Unicode normalization. */
  const paths = new Map<string, { path: string; isFolder: boolean }>()

  const assertDistinct = (path: string, isFolder: boolean, isWhole: boolean) => {
    const key = path.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC')
    const other = paths.get(key)
    paths.set(key, { path, isFolder })
    if (!other) return
    if (other.path !== path) throw createInvalid('two names differ only in case or Unicode form', path)
    if (other.isFolder !== isFolder) throw createInvalid('a file and a folder have the same name', path)
    if (isWhole && !isFolder) throw createInvalid('a file occurs twice', path)
  }

  return (path, isFolder) => {
    const names = (isFolder ? path.replace(/\/$/, '') : path).split('/')
    if (/[\p{Cc}\p{Cs}\ufffd]/u.test(path))
      throw createInvalid('a name has characters that are not printable', path)
    if (path.includes('\\')) throw createInvalid('a name has a backslash', path)
    if (path.startsWith('/')) throw createInvalid('a path is absolute', path)
    if (/^[a-z]:/i.test(path)) throw createInvalid('a path names a drive', path)
    if (names.includes('..')) throw createInvalid('a path leads upwards', path)
    if (names.some((name) => name === '' || name === '.'))
      throw createInvalid('a path has an empty name', path)
    if (names.length > MAX_PATH_NAMES) throw createTooLarge('depth')
    if (names.some((name) => Buffer.byteLength(name) > LIMITS.name_bytes)) throw createTooLarge('name_bytes')
    for (let length = 1; length <= names.length; length++) {
      const isWhole = length === names.length
      assertDistinct(names.slice(0, length).join('/'), !isWhole || isFolder, isWhole)
    }
    return names
  }
}
