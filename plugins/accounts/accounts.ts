import { isAbsolute, normalize } from 'node:path'
import { AppError, isWithin, type KernelServices } from '#kernel'
import type { AccountLockout } from '../auth/account-lockout.ts'
import type { PasswordChanges } from '../auth/password-changes.ts'
import type { AuthCaller } from '../auth/types.ts'
import type { NewUser, UserChanges, UserCondition, UserDocument } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import type { Grants } from './grants.ts'

/** What user managers do to accounts, by the rules of who may do what. */
export type Accounts = ReturnType<typeof createAccounts>

/** Makes the administration of accounts. Every method throws NOT_FOUND where there is no account of that name. */
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
} & Pick<KernelServices, 'server'>) {
  const find = async (username: string): Promise<UserDocument> => {
    const user = await users.findByUsername(username)
    if (!user) throw new AppError('NOT_FOUND')
    return user
  }

  /** The account, and the condition that it must still fit when it is changed. Throws ADMINISTRATOR_PROTECTED. */
  const findManageable = async (caller: AuthCaller, username: string) => {
    const user = await find(username)
    if (caller.role === 'admin') return { user, where: {} satisfies UserCondition }
    if (user.role === 'admin') throw new AppError('ADMINISTRATOR_PROTECTED')
    return { user, where: { role: 'user' } satisfies UserCondition }
  }

  /** Gives the folder in its normal form. Throws VALIDATION_FAILED, or GRANT_EXCEEDS beyond the caller's own. */
  const grantableFolder = async (
    caller: AuthCaller,
    folder: string | null | undefined,
  ): Promise<{ workspace_root_dir?: string | null }> => {
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
    if (caller.role !== 'admin') {
      const own = (await users.find(caller.id))?.workspace_root_dir
      if (!own || !isWithin(own, path))
        throw new AppError('GRANT_EXCEEDS', { missing: ['workspace_root_dir'] })
    }
    return { workspace_root_dir: path }
  }

  return {
    list: users.list,
    find,

    /** Throws what `users.create` does, VALIDATION_FAILED, GRANT_EXCEEDS. */
    async create(caller: AuthCaller, given: NewUser): Promise<UserDocument> {
      grants.assertGrantable(caller, given)
      return users.create({ ...given, ...(await grantableFolder(caller, given.workspace_root_dir)) })
    },

    /** Throws VALIDATION_FAILED, GRANT_EXCEEDS, ADMINISTRATOR_PROTECTED, SELF_DEMOTION, LAST_ADMINISTRATOR. */
    async update(caller: AuthCaller, username: string, changes: UserChanges): Promise<UserDocument> {
      const { user, where } = await findManageable(caller, username)
      grants.assertGrantable(caller, changes, user.permissions)
      const folder = await grantableFolder(caller, changes.workspace_root_dir)
      const demotes = changes.role === 'user' && user.role === 'admin'
      if (user._id === caller.id && (demotes || changes.enabled === false))
        throw new AppError('SELF_DEMOTION')
      return users.update(user._id, { ...changes, ...folder }, where)
    },

    /** Throws ADMINISTRATOR_PROTECTED, PASSWORD_TOO_WEAK. */
    async resetPassword(caller: AuthCaller, username: string, new_password: string): Promise<void> {
      const { user, where } = await findManageable(caller, username)
      await passwordChanges.reset(user._id, new_password, where)
    },

    /** Throws ADMINISTRATOR_PROTECTED. */
    async unlock(caller: AuthCaller, username: string): Promise<void> {
      const { user } = await findManageable(caller, username)
      await accountLockout.clear(user.username)
    },

    /** Throws ADMINISTRATOR_PROTECTED, SELF_DELETION, LAST_ADMINISTRATOR. */
    async remove(caller: AuthCaller, username: string): Promise<void> {
      const { user, where } = await findManageable(caller, username)
      if (user._id === caller.id) throw new AppError('SELF_DELETION')
      await users.remove(user, where)
    },
  }
}
