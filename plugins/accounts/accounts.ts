import { isAbsolute, normalize } from 'node:path'
import { AppError, isWithin } from '#kernel'
import type { AccountLockout } from '../auth/account-lockout.ts'
import type { PasswordChanges } from '../auth/password-changes.ts'
import type { AuthCaller } from '../auth/types.ts'
import type { NewUser, UserChanges, UserCondition, UserDocument } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import { type Authority, isChanged, readAuthority } from './authority.ts'
import type { Grants } from './grants.ts'
import type { Cradle } from './manifest.ts'

/** The number of times that an account is judged which changes while somebody acts on it. */
const MAX_LOOKS = 5

/** What user managers do to accounts, by the rules of who may do what. */
export type Accounts = ReturnType<typeof createAccounts>

/** Makes the administration of accounts. Every method takes a username or an id, and throws NOT_FOUND for neither. */
export function createAccounts({
  users,
  passwordChanges,
  accountLockout,
  grants,
  server,
}: {
  users: Users
  passwordChanges: PasswordChanges
  accountLockout: AccountLockout
  grants: Grants
} & Pick<Cradle, 'server'>) {
  const find = async (key: string): Promise<UserDocument> => {
    const user = (await users.findByUsername(key)) ?? (await users.find(key))
    if (!user) throw new AppError('NOT_FOUND')
    return user
  }

  /**
   * Judges an account, which throws where the caller may not do this, and acts on it as it was judged: one that is
   * changed in between is judged anew.
   */
  const act = async <Result>(
    caller: AuthCaller,
    key: string,
    judge: (user: UserDocument, authority: Authority) => void,
    work: (user: UserDocument, where: UserCondition) => Promise<Result>,
  ): Promise<Result> => {
    for (let look = 1; ; look += 1) {
      const [user, authority] = await Promise.all([find(key), readAuthority(caller, { users })])
      authority.assertManageable(user)
      judge(user, authority)
      try {
        return await work(user, authority.conditionFor(user))
      } catch (error) {
        const isChangedMeanwhile = error instanceof AppError && error.code === 'NOT_FOUND'
        if (!isChangedMeanwhile || look === MAX_LOOKS) throw error
      }
    }
  }

  /** Returns the folder in its normal form. Throws VALIDATION_FAILED. */
  const normalizeFolder = (folder: string | null | undefined): { workspace_root_dir?: string | null } => {
    if (folder === undefined) return {}
    if (folder === null) return { workspace_root_dir: null }
    const path = normalize(folder)
    const isWrong = !isAbsolute(path) || path.includes('\0') || isWithin(server.home, path)
    if (isWrong) {
      const message = "must be an absolute path outside the server's own folder"
      throw new AppError('VALIDATION_FAILED', {
        issues: [{ path: '/workspace_root_dir', rule: 'path', message }],
      })
    }
    return { workspace_root_dir: path }
  }

  return {
    list: users.list,
    find,

    /** Throws what `users.create` does, VALIDATION_FAILED, GRANT_EXCEEDS. */
    async create(caller: AuthCaller, given: NewUser): Promise<UserDocument> {
      const folder = normalizeFolder(given.workspace_root_dir)
      grants.assertGrantable(caller, given)
      const authority = await readAuthority(caller, { users })
      authority.assertHoldsFolder(folder.workspace_root_dir ?? null)
      return users.create({ ...given, ...folder })
    },

    /**
     * Throws VALIDATION_FAILED, GRANT_EXCEEDS, ACCOUNT_EXCEEDS, ADMINISTRATOR_PROTECTED, SELF_DEMOTION, SELF_LIMITS,
     * LAST_ADMINISTRATOR.
     */
    async update(caller: AuthCaller, key: string, given: UserChanges): Promise<UserDocument> {
      const changes = { ...given, ...normalizeFolder(given.workspace_root_dir) }
      return act(
        caller,
        key,
        (user, authority) => {
          const demotes = changes.role === 'user' && user.role === 'admin'
          if (user._id === caller.id && (demotes || changes.enabled === false))
            throw new AppError('SELF_DEMOTION')
          authority.assertKeepsOwnLimits(user, changes)
          grants.assertGrantable(caller, changes, user.permissions)
          // Each of these lets somebody in, or shuts somebody out.
          if (isChanged(user, changes, 'email') || isChanged(user, changes, 'enabled'))
            authority.assertCovers(user)
          if (!isChanged(user, changes, 'workspace_root_dir')) return
          authority.assertHoldsFolder(user.workspace_root_dir)
          authority.assertHoldsFolder(changes.workspace_root_dir!)
        },
        (user, where) => users.update(user._id, changes, where),
      )
    },

    /** Throws ADMINISTRATOR_PROTECTED, ACCOUNT_EXCEEDS, PASSWORD_TOO_WEAK. */
    resetPassword: (caller: AuthCaller, key: string, new_password: string): Promise<void> =>
      act(
        caller,
        key,
        (user, authority) => authority.assertCovers(user),
        (user, where) => passwordChanges.reset(user._id, new_password, where),
      ),

    /** Throws ADMINISTRATOR_PROTECTED. */
    unlock: (caller: AuthCaller, key: string): Promise<void> =>
      act(
        caller,
        key,
        () => {},
        (user) => accountLockout.clear(user.username),
      ),

    /** Throws ADMINISTRATOR_PROTECTED, ACCOUNT_EXCEEDS, SELF_DELETION, LAST_ADMINISTRATOR. */
    remove: (caller: AuthCaller, key: string): Promise<void> =>
      act(
        caller,
        key,
        (user, authority) => {
          if (user._id === caller.id) throw new AppError('SELF_DELETION')
          authority.assertCovers(user)
        },
        users.remove,
      ),
  }
}
