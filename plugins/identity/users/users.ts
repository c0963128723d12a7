import {
  AppError,
  type Conditional,
  createRecentValues,
  escapePattern,
  isDuplicateKey,
  type Locale,
  makeTag,
  missOf,
  nearestLocale,
  requireUnchanged,
} from '#plugin-api'
import { createAdministrators } from './administrators.ts'
import { createInitialPassword } from './first-administrator.ts'
import { createGroupMembers } from './group-members.ts'
import { createLastSeen } from './last-seen.ts'
import { createCreations, createDeletions } from './lifecycle.ts'
import type { Cradle } from './manifest.ts'
import { assertStrongPassword, createPasswords, makePassword } from './passwords.ts'
import { createRights, toStored } from './rights.ts'
import {
  type Account,
  type NewUser,
  type UserChanges,
  type UserCondition,
  type UserDocument,
  userFields,
} from './types.ts'
import { createUserList, toSortKeys } from './user-list.ts'

/** The contract's rule for usernames; upper case is accepted and stored as lower case. */
export const USERNAME_PATTERN = '^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$'
const USERNAME = new RegExp(USERNAME_PATTERN)

/** Path segments of other routes, such as `/users/invites`, which would hide an account of that name. */
const RESERVED_USERNAMES = new Set(['import', 'invites', 'permissions'])

/** The form of account ids, which the same path segment accepts: no username may look like an id. */
const ID_FORM = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i

/** The accounts and their passwords. */
export type Users = ReturnType<typeof createUsers>

/** Creates the account store. */
export function createUsers(
  cradle: Pick<
    Cradle,
    'collections' | 'clock' | 'ids' | 'events' | 'extensions' | 'server' | 'config' | 'log'
  >,
) {
  const { clock, ids, events, extensions, server } = cradle
  const { users } = cradle.collections
  const administrators = createAdministrators(cradle)
  const creations = createCreations(cradle)
  const deletions = createDeletions(cradle)
  const rights = createRights(cradle)
  const passwords = createPasswords({ memory_kib: cradle.config.password_memory_kib })
  const initialPassword = createInitialPassword(server)

  const stamps = () => ({ updated_at: clock.seconds(), changed_at: clock.now() })

  /** Removes the file with the first password if that password was just replaced. */
  const dropInitialPassword = async (password_hash: string | null) => {
    const initial = await initialPassword.read()
    if (initial && (await passwords.verify(password_hash, initial))) await initialPassword.remove()
  }

  const recent = createRecentValues(async (user_ids) => {
    const rows = await rights.addAll(await users.find({ _id: { $in: [...user_ids] } }).toArray())
    return new Map(rows.map((user) => [user._id, user]))
  })

  /** Returns the keys of an account that gets this display name; its username never changes. */
  const makeSortKeys = async (_id: string, display_name: string | null) => {
    const user = await users.findOne({ _id }, { projection: { username: 1 } })
    return user && toSortKeys({ username: user.username, display_name })
  }

  const findByUsername = async (username: string) =>
    rights.addTo(await users.findOne({ username: username.toLowerCase() }))

  return {
    /**
     * Creates an account; without a password, nobody can log in to it with one. Throws VALIDATION_FAILED,
     * PASSWORD_TOO_WEAK, PASSWORD_CHECKS_BUSY or USERNAME_TAKEN.
     */
    async create({
      id = ids.make(),
      username,
      display_name = null,
      password,
      locale = null,
      group_ids = [],
      ...fields
    }: NewUser): Promise<Account> {
      if (!USERNAME.test(username)) {
        const issue = {
          path: '/username',
          rule: 'pattern',
          message: `must match pattern "${USERNAME_PATTERN}"`,
        }
        throw new AppError('VALIDATION_FAILED', { issues: [issue] })
      }
      if (RESERVED_USERNAMES.has(username.toLowerCase()) || ID_FORM.test(username))
        throw new AppError('USERNAME_TAKEN')
      if (password !== undefined) assertStrongPassword(password)
      const password_hash = password === undefined ? null : await passwords.hash(password)
      const firstGroups = await extensions['users.first_groups'].ask({})
      const now = stamps()
      const names = { username: username.toLowerCase(), display_name }
      const user: UserDocument = {
        _id: id,
        ...names,
        ...toSortKeys(names),
        role: 'user',
        email: null,
        permissions: [],
        workspace_root_dir: null,
        token_quota: null,
        budget: null,
        timezone: null,
        ...fields,
        group_ids: [...new Set([...firstGroups.flat(), ...group_ids])],
        locale: toLocale(locale),
        enabled: true,
        tokens_used: 0,
        password_hash,
        must_change_password: false,
        created_at: now.updated_at,
        last_seen_at: 0,
        ...now,
      }
      try {
        await users.insertOne({ ...user, creation_pending: true })
      } catch (error) {
        if (isDuplicateKey(error)) throw new AppError('USERNAME_TAKEN')
        throw error
      }
      await creations.announce(user)
      return rights.addTo(user)
    },

    /** True if the account is enabled and may manage other accounts. */
    isManager: ({ enabled, role, permissions }: Account): boolean =>
      enabled && (role === 'admin' || permissions.includes('users')),
    assertStrongPassword,
    makePassword,

    /** Returns the account with the rights of its groups, as do all other methods; null if it does not exist. */
    find: async (user_id: string): Promise<Account | null> =>
      rights.addTo(await users.findOne({ _id: user_id })),
    /** Returns an account as it was at most 300 ms ago; changes by this process are seen at once. */
    findRecent: recent.get,
    /** Drops an account that has changed from memory, or all of them. */
    dropRecent: (user_id?: string) => recent.drop(user_id),
    /** Returns an account without the rights of its groups. */
    storedOf: toStored,
    /** Makes the entity tag of an account. */
    tagOf: (user: UserDocument) => makeTag(toStored(user), userFields),
    /** Returns the condition of a change under `If-Match`. Throws PRECONDITION_FAILED. */
    requireUnchanged: (request: Conditional, user: UserDocument): UserCondition =>
      requireUnchanged(request, toStored(user), userFields),
    findByUsername,
    /** The accounts with these ids; unknown ids are left out. */
    listByIds: async (user_ids: readonly string[]): Promise<Account[]> =>
      rights.addAll(await users.find({ _id: { $in: [...user_ids] } }).toArray()),
    /** Returns the accounts with these usernames, by username in lower case. */
    async listByUsernames(usernames: readonly string[]): Promise<Map<string, UserDocument>> {
      if (usernames.length === 0) return new Map()
      const names = usernames.map((name) => name.toLowerCase())
      const rows = await users.find({ username: { $in: names } }).toArray()
      return new Map(rows.map((user) => [user.username, user]))
    },
    /** Finds enabled accounts by a part of their names, in these groups if any are named. */
    search(
      q: string,
      { group_ids, limit }: { group_ids: readonly string[] | undefined; limit: number },
    ): Promise<UserDocument[]> {
      const part = { $regex: escapePattern(q.trim()), $options: 'i' }
      const within = group_ids && { group_ids: { $in: [...group_ids] } }
      const filter = { enabled: true, ...within, $or: [{ username: part }, { display_name: part }] }
      return users.find(filter).sort({ username: 1 }).limit(limit).toArray()
    },
    haveAdministrator: async () =>
      (await users.findOne({ role: 'admin' }, { projection: { _id: 1 } })) !== null,

    /** Returns the stages of a query that append each ChangedAccount since a time in Unix milliseconds. */
    changesSince: (ms: number) => [
      {
        $unionWith: {
          coll: users.collectionName,
          pipeline: [{ $match: { changed_at: { $gte: ms } } }, { $project: { enabled: 1, changed_at: 1 } }],
        },
      },
    ],

    /**
     * Returns the enabled account with this name and password. Unknown names, disabled accounts and accounts without
     * a password take as long as a wrong password.
     */
    async authenticate(username: string, password: string): Promise<Account | undefined> {
      const user = await findByUsername(username)
      const right = await passwords.verify(user?.password_hash ?? null, password)
      return user?.enabled && right ? user : undefined
    },

    /**
     * Sets a password and returns the changed account; null if no such account matches `where`. The caller ends the
     * sessions. Throws PASSWORD_TOO_WEAK, PASSWORD_CHECKS_BUSY.
     */
    async setPassword(
      user_id: string,
      password: string,
      { must_change_password, where = {} }: { must_change_password: boolean; where?: UserCondition },
    ): Promise<UserDocument | null> {
      assertStrongPassword(password)
      const password_hash = await passwords.hash(password)
      const earlierUser = await users.findOneAndUpdate(
        { _id: user_id, ...where },
        { $set: { password_hash, must_change_password, ...stamps() } },
      )
      if (!earlierUser) return null
      await dropInitialPassword(earlierUser.password_hash)
      await events.emit('user.changed', { user_id })
      return { ...earlierUser, password_hash, must_change_password }
    },

    /** Changes an account. Throws NOT_FOUND, PRECONDITION_FAILED if it does not match `where`, LAST_ADMINISTRATOR. */
    async update(
      user_id: string,
      { locale, ...changes }: UserChanges,
      where: UserCondition = {},
    ): Promise<Account> {
      const language = locale === undefined ? {} : { locale: toLocale(locale) }
      const keys = changes.display_name === undefined ? {} : await makeSortKeys(user_id, changes.display_name)
      const write = () =>
        users.findOneAndUpdate(
          { _id: user_id, ...where },
          { $set: { ...changes, ...language, ...keys, ...stamps() } },
          { returnDocument: 'after' },
        )
      const weakens = changes.role === 'user' || changes.enabled === false
      const user = weakens ? await administrators.ensureAnotherAdminRemains(user_id, write) : await write()
      if (!user) throw missOf(where, 'NOT_FOUND')
      await events.emit('user.changed', { user_id })
      return rights.addTo(user)
    },

    /** Deletes an account and all its data. Throws NOT_FOUND as `update` does, LAST_ADMINISTRATOR. */
    async remove(user: UserDocument, where: UserCondition = {}): Promise<void> {
      const begin = () => deletions.begin(user, where)
      const removed = await administrators.ensureAnotherAdminRemains(user._id, begin)
      recent.drop(user._id)
      if (!removed) throw new AppError('NOT_FOUND')
      await deletions.finish(user)
      await dropInitialPassword(user.password_hash)
    },

    /** Resumes the creations and deletions that a crash interrupted; one that fails does not stop the others. */
    async recover(): Promise<void> {
      await Promise.all([creations.recover(), deletions.recover()])
    },

    /** Raises the token counts of accounts to these totals; returns the ids of accounts that do not exist. */
    async raiseTokensUsed(totals: ReadonlyMap<string, number>): Promise<string[]> {
      const operations = [...totals].map(([_id, tokens_used]) => ({
        updateOne: { filter: { _id }, update: { $max: { tokens_used } } },
      }))
      const { matchedCount } = await users.bulkWrite(operations, { ordered: false })
      if (matchedCount === totals.size) return []
      const existing = await users.distinct('_id', { _id: { $in: [...totals.keys()] } })
      return [...totals.keys()].filter((user_id) => !existing.includes(user_id))
    },

    ...createUserList(cradle, { addRights: rights.addAll }),
    ...createLastSeen(cradle),
    ...createGroupMembers(cradle, { stamps, addRights: rights.addAll }),

    /** Counts the accounts and the tokens that they have used together. */
    async totals(): Promise<{ user_count: number; tokens_used: number }> {
      const [totals] = await users
        .aggregate<{ user_count: number; tokens_used: number }>([
          { $group: { _id: null, user_count: { $sum: 1 }, tokens_used: { $sum: '$tokens_used' } } },
          { $project: { _id: 0 } },
        ])
        .toArray()
      return totals ?? { user_count: 0, tokens_used: 0 }
    },
  }
}

const toLocale = (tag: string | null): Locale | null => (tag === null ? null : nearestLocale(tag))
