import { AppError, type KernelServices } from '#kernel'
import { createInitialPassword } from './initial-password.ts'
import { assertStrongPassword, createPasswords } from './passwords.ts'
import type { NewUser, UserChanges, UserDocument } from './types.ts'

/** The contract's rule for usernames, in which upper case is put in lower case first. */
export const USERNAME_PATTERN = '^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$'
const USERNAME = new RegExp(USERNAME_PATTERN)

/** The accounts and their passwords. */
export type Users = ReturnType<typeof createUsers>

/** Makes the account store. */
export function createUsers({
  collections: { users },
  clock,
  ids,
  events,
  server,
}: Pick<KernelServices, 'collections' | 'clock' | 'ids' | 'events' | 'server'>) {
  const passwords = createPasswords()
  const initialPassword = createInitialPassword(server)

  const stamps = () => ({ updated_at: clock.seconds(), changed_at: clock.now() })

  const findByUsername = (username: string) => users.findOne({ username: username.toLowerCase() })

  return {
    /**
     * Makes an account, to which nobody can log in with a password if it has none. Throws VALIDATION_FAILED,
     * PASSWORD_TOO_WEAK or USERNAME_TAKEN.
     */
    async create({ username, password, ...fields }: NewUser): Promise<UserDocument> {
      if (!USERNAME.test(username)) {
        const issue = {
          path: '/username',
          rule: 'pattern',
          message: `must match pattern "${USERNAME_PATTERN}"`,
        }
        throw new AppError('VALIDATION_FAILED', { issues: [issue] })
      }
      if (password !== undefined) assertStrongPassword(password)
      const user: UserDocument = {
        _id: ids.make(),
        username: username.toLowerCase(),
        role: 'user',
        display_name: null,
        email: null,
        locale: null,
        permissions: [],
        workspace_root_dir: null,
        token_quota: null,
        ...fields,
        enabled: true,
        tokens_used: 0,
        password_hash: password === undefined ? null : await passwords.hash(password),
        must_change_password: false,
        created_at: clock.seconds(),
        ...stamps(),
      }
      try {
        await users.insertOne(user)
      } catch (error) {
        if ((error as { code?: number }).code === 11000) throw new AppError('USERNAME_TAKEN')
        throw error
      }
      await events.emit('user.created', { user_id: user._id, username: user.username })
      return user
    },

    find: (user_id: string) => users.findOne({ _id: user_id }),
    findByUsername,
    /** Every account, by username. */
    list: () => users.find().sort({ username: 1 }).toArray(),
    exist: async () => (await users.findOne({}, { projection: { _id: 1 } })) !== null,

    /** Accounts changed at or after a time in Unix milliseconds. */
    listChangedSince: (ms: number) =>
      users.find({ changed_at: { $gte: ms } }, { projection: { enabled: 1 } }).toArray(),

    /**
     * The enabled account whose password this is. Unknown names, disabled accounts and those without a password
     * take as long as a wrong password.
     */
    async authenticate(username: string, password: string): Promise<UserDocument | undefined> {
      const user = await findByUsername(username)
      const right = await passwords.verify(user?.password_hash ?? null, password)
      return user?.enabled && right ? user : undefined
    },

    /**
     * The account with its new password; null where there is no such account or, with `replacing` given, where
     * that is no longer its hash. Throws PASSWORD_TOO_WEAK. Ending sessions is the caller's part.
     */
    async setPassword(
      user_id: string,
      password: string,
      { must_change_password, replacing }: { must_change_password: boolean; replacing?: string | null },
    ): Promise<UserDocument | null> {
      assertStrongPassword(password)
      const password_hash = await passwords.hash(password)
      const before = await users.findOneAndUpdate(
        { _id: user_id, ...(replacing === undefined ? {} : { password_hash: replacing }) },
        { $set: { password_hash, must_change_password, ...stamps() } },
      )
      if (!before) return null
      const initial = await initialPassword.read()
      if (initial && (await passwords.verify(before.password_hash, initial))) await initialPassword.remove()
      await events.emit('user.changed', { user_id })
      return { ...before, password_hash, must_change_password }
    },

    /** Throws NOT_FOUND. */
    async update(user_id: string, changes: UserChanges): Promise<UserDocument> {
      const user = await users.findOneAndUpdate(
        { _id: user_id },
        { $set: { ...changes, ...stamps() } },
        { returnDocument: 'after' },
      )
      if (!user) throw new AppError('NOT_FOUND')
      await events.emit('user.changed', { user_id })
      return user
    },
  }
}
