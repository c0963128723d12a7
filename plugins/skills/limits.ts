import { AppError } from '#kernel'
import { TreeAccessError, TreeLimitError, type TreeLimits } from './tree-copy.ts'

/** What one skill may be, and in files and bytes also all that one package holds. */
export const LIMITS: TreeLimits = { files: 2000, bytes: 64 * 1024 * 1024, depth: 16, name_bytes: 255 }

/** The refusal of what passes a limit, of one skill or of the package. */
export const tooLarge = (limit: keyof TreeLimits, of: 'skill' | 'package' = 'skill'): AppError =>
  new AppError('SKILL_TOO_LARGE', { of, limit, max: LIMITS[limit] })

/** Throws SKILL_TOO_LARGE where files and bytes pass the limits. */
export function assertFits(
  counts: { files: number; bytes: number },
  of: 'skill' | 'package' = 'skill',
): void {
  if (counts.files > LIMITS.files) throw tooLarge('files', of)
  if (counts.bytes > LIMITS.bytes) throw tooLarge('bytes', of)
}

/** Runs work on the tree of a skill; what is wrong with the tree becomes SKILL_TOO_LARGE or SKILL_UNREADABLE. */
export async function refusing<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TreeLimitError) throw tooLarge(error.limit)
    if (error instanceof TreeAccessError)
      throw new AppError('SKILL_UNREADABLE', { path: error.path }, { cause: error })
    throw error
  }
}
