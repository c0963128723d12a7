import { isDeepStrictEqual } from 'node:util'
import { AppError, isWithin } from '#plugin-api'
import type { AuthCaller } from '../auth/types.ts'
import type { Account, UserChanges, UserCondition, UserDocument } from '../users/types.ts'
import type { Users } from '../users/users.ts'

/** The rights of a caller over other accounts; an administrator has all of them. */
export interface Authority {
  /** Throws ADMINISTRATOR_PROTECTED unless the caller may change this account at all. */
  assertManageable(user: UserDocument): void
  /** Throws ACCOUNT_EXCEEDS if the account holds a permission or a folder that the caller lacks. */
  assertCovers(user: Account): void
  /** Throws GRANT_EXCEEDS if the folder is outside the caller's own; null is always allowed. */
  assertHoldsFolder(folder: string | null): void
  /** Throws SELF_LIMITS if the changes raise or lower a limit of the caller's own account. */
  assertKeepsOwnLimits(user: UserDocument, changes: UserChanges): void
  /** Returns the checked state of the account as a condition for the write that follows. */
  conditionFor(user: UserDocument): UserCondition
}

/** The limits of an account, which no account manager changes for themselves. */
const LIMITS = ['token_quota', 'budget', 'workspace_root_dir'] as const

const UNLIMITED: Authority = {
  assertManageable: () => {},
  assertCovers: () => {},
  assertHoldsFolder: () => {},
  assertKeepsOwnLimits: () => {},
  conditionFor: () => ({}),
}

/** Reads the caller's folder and returns the caller's authority over accounts. */
export async function readAuthority(
  caller: AuthCaller,
  { users }: { users: Pick<Users, 'find'> },
): Promise<Authority> {
  if (caller.role === 'admin') return UNLIMITED
  const own_folder = (await users.find(caller.id))?.workspace_root_dir ?? null
  const holdsFolder = (folder: string | null) =>
    folder === null || (own_folder !== null && isWithin(own_folder, folder))
  const isSelf = ({ _id }: UserDocument) => _id === caller.id

  return {
    assertManageable({ role }) {
      if (role === 'admin') throw new AppError('ADMINISTRATOR_PROTECTED')
    },

    assertCovers(user) {
      if (isSelf(user)) return
      const missing = user.permissions.filter((key) => !caller.permissions.includes(key))
      if (!holdsFolder(user.workspace_root_dir)) missing.push('workspace_root_dir')
      if (missing.length > 0) throw new AppError('ACCOUNT_EXCEEDS', { missing })
    },

    assertHoldsFolder(folder) {
      if (!holdsFolder(folder)) throw new AppError('GRANT_EXCEEDS', { missing: ['workspace_root_dir'] })
    },

    assertKeepsOwnLimits(user, changes) {
      if (isSelf(user) && LIMITS.some((field) => isChanged(user, changes, field)))
        throw new AppError('SELF_LIMITS')
    },

    conditionFor: ({ role, permissions, workspace_root_dir, token_quota, budget, email, enabled }) => {
      return { role, permissions, workspace_root_dir, token_quota, budget, email, enabled }
    },
  }
}

/** True if the changes set a field to a value that differs from the account's. */
export const isChanged = (
  user: UserDocument,
  changes: UserChanges,
  field: Exclude<keyof UserChanges, 'locale'>,
): boolean => changes[field] !== undefined && !isDeepStrictEqual(changes[field], user[field])
