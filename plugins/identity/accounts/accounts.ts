import { isAbsolute, normalize } from 'node:path'
import { AppError, type Conditional, isWithin, type Page, type TypeOf } from '#plugin-api'
import type { AccountLockout } from '../auth/account-lockout.ts'
import type { PasswordChanges } from '../auth/password-changes.ts'
import type { AuthCaller } from '../auth/types.ts'
import type { Account, UserChanges, UserCondition } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import { type Authority, isChanged, readAuthority } from './authority.ts'
import type { Grants } from './grants.ts'
import type { GroupGrants } from './group-grants.ts'
import type { Cradle } from './manifest.ts'
import type { accountQuery, newAccount } from './schemas.ts'

/** Attempts at an action on an account that others keep changing. */
const MAX_TRIES = 5
/** The fields that only those change who hold all rights of the account. */
const GUARDED = ['email', 'enabled', 'token_quota', 'budget'] as const
/** The codes of a write that missed its account, which somebody changed or deleted meanwhile. */
const CHANGED = new Set(['NOT_FOUND', 'PRECONDITION_FAILED'])

/** A new account as a request describes it; without a password, nobody can sign in to it with one. */
type NewAccount = Omit<TypeOf<typeof newAccount>, 'password'> & { password?: string }

/** The operations of user managers on accounts, under the rules of who may do what. */
export type Accounts = ReturnType<typeof createAccounts>

/** Creates the operations on accounts. Each takes a username or an id and throws NOT_FOUND for anything else. */
export function createAccounts({
  users,
  passwordChanges,
  accountLockout,
  grants,
  groupGrants,
  server,
}: {
  users: Users
  passwordChanges: PasswordChanges
  accountLockout: AccountLockout
  grants: Grants
  groupGrants: GroupGrants
} & Pick<Cradle, 'server'>) {
  const find = async (key: string): Promise<Account> => {
    const user = (await users.findByUsername(key)) ?? (await users.find(key))
    if (!user) throw new AppError('NOT_FOUND')
    return user
  }

  /**
   * Runs `check`, which throws if the caller may not do this, and then `work` on the account as it was checked: an
   * account that changes in between is checked again.
   */
  const act = async <Result>(
    caller: AuthCaller,
    key: string,
    check: (user: Account, authority: Authority) => void,
    work: (user: Account, where: UserCondition) => Promise<Result>,
  ): Promise<Result> => {
    for (let tries = 1; ; tries += 1) {
      const [user, authority] = await Promise.all([find(key), readAuthority(caller, { users })])
      authority.assertManageable(user)
      check(user, authority)
      try {
        return await work(user, authority.conditionFor(users.storedOf(user)))
      } catch (error) {
        const wasChanged = error instanceof AppError && CHANGED.has(error.code)
        if (!wasChanged || tries === MAX_TRIES) throw error
      }
    }
  }

  /** Returns the folder as a normalized path. Throws VALIDATION_FAILED. */
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
    find,

    /**
     * Lists accounts; the first page also counts all that fit. Throws VALIDATION_FAILED for an unknown cursor or group.
     */
    async list({
      limit,
      cursor,
      sort,
      group,
      ...fields
    }: TypeOf<typeof accountQuery>): Promise<Page<Account> & { total: number | null }> {
      const group_id = group === undefined ? undefined : (await groupGrants.find(group))._id
      const filter = { ...fields, group_id }
      const [page, total] = await Promise.all([
        users.list(filter, sort, { limit, cursor }),
        cursor === undefined ? users.count(filter) : null,
      ])
      return { ...page, total }
    },

    /** Creates an account. Throws the errors of `users.create`, VALIDATION_FAILED, GRANT_EXCEEDS. */
    async create(caller: AuthCaller, { groups = [], ...newUser }: NewAccount): Promise<Account> {
      const folder = normalizeFolder(newUser.workspace_root_dir)
      grants.assertGrantable(caller, newUser)
      const group_ids = await groupGrants.resolve(caller, groups)
      const authority = await readAuthority(caller, { users })
      authority.assertHoldsFolder(folder.workspace_root_dir ?? null)
      return users.create({ ...newUser, ...folder, group_ids })
    },

    /**
     * Changes an account. Throws VALIDATION_FAILED, GRANT_EXCEEDS, ACCOUNT_EXCEEDS, ADMINISTRATOR_PROTECTED,
     * SELF_DEMOTION, SELF_LIMITS, LAST_ADMINISTRATOR, SESSION_REQUIRED.
     */
    async update(
      caller: AuthCaller,
      key: string,
      newValues: UserChanges,
      request: Conditional,
    ): Promise<Account> {
      const changes = { ...newValues, ...normalizeFolder(newValues.workspace_root_dir) }
      return act(
        caller,
        key,
        (account, authority) => {
          const user = users.storedOf(account)
          users.requireUnchanged(request, user)
          const demotes = changes.role === 'user' && user.role === 'admin'
          if (user._id === caller.id && (demotes || changes.enabled === false))
            throw new AppError('SELF_DEMOTION')
          // The address identifies the account at single sign-on.
          if (caller.credential && user._id === caller.id && isChanged(user, changes, 'email'))
            throw new AppError('SESSION_REQUIRED', { scope: 'session' })
          authority.assertKeepsOwnLimits(user, changes)
          grants.assertGrantable(caller, changes, user.permissions)
          // An address and `enabled` decide who can sign in; without tokens an account is of no use.
          if (GUARDED.some((field) => isChanged(user, changes, field))) authority.assertCovers(account)
          if (!isChanged(user, changes, 'workspace_root_dir')) return
          authority.assertHoldsFolder(user.workspace_root_dir)
          authority.assertHoldsFolder(changes.workspace_root_dir!)
        },
        (user, where) =>
          users.update(user._id, changes, { ...users.requireUnchanged(request, user), ...where }),
      )
    },

    /** Resets a password. Throws ADMINISTRATOR_PROTECTED, ACCOUNT_EXCEEDS, PASSWORD_TOO_WEAK. */
    resetPassword: (caller: AuthCaller, key: string, new_password: string): Promise<void> =>
      act(
        caller,
        key,
        (user, authority) => authority.assertCovers(user),
        (user, where) => passwordChanges.reset(user._id, new_password, where),
      ),

    /**
     * Runs `work` on an account if the caller may take over its sign-in, as with a new password. Throws
     * ADMINISTRATOR_PROTECTED, ACCOUNT_EXCEEDS.
     */
    actOnSignIn: <Result>(
      caller: AuthCaller,
      key: string,
      work: (user: Account) => Promise<Result>,
    ): Promise<Result> =>
      act(
        caller,
        key,
        (user, authority) => authority.assertCovers(user),
        (user) => work(user),
      ),

    /** Ends a lock by failed logins. Throws ADMINISTRATOR_PROTECTED. */
    unlock: (caller: AuthCaller, key: string): Promise<void> =>
      act(
        caller,
        key,
        () => {},
        (user) => accountLockout.clear(user.username),
      ),

    /** Deletes an account. Throws ADMINISTRATOR_PROTECTED, ACCOUNT_EXCEEDS, SELF_DELETION, LAST_ADMINISTRATOR. */
    remove: (caller: AuthCaller, key: string): Promise<{ username: string }> =>
      act(
        caller,
        key,
        (user, authority) => {
          if (user._id === caller.id) throw new AppError('SELF_DELETION')
          authority.assertCovers(user)
        },
        async (user, where) => {
          await users.remove(user, where)
          return { username: user.username }
        },
      ),
  }
}
