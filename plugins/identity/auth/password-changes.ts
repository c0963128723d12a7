import { AppError } from '#plugin-api'
import type { UserCondition } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import type { AccountLockout } from './account-lockout.ts'
import type { Logins } from './logins.ts'
import type { Cradle } from './manifest.ts'
import type { Sessions } from './sessions.ts'
import type { AuthCaller } from './types.ts'

/** Changes passwords and ends the sessions that were opened with the old password. */
export type PasswordChanges = ReturnType<typeof createPasswordChanges>

/** Creates the two ways to change a password. */
export function createPasswordChanges({
  users,
  sessions,
  logins,
  accountLockout,
  extensions,
  config,
}: {
  users: Users
  sessions: Sessions
  logins: Logins
  accountLockout: AccountLockout
} & Pick<Cradle, 'extensions' | 'config'>) {
  return {
    /**
     * Changes the caller's own password; ends every session but the caller's present one. Throws AUTH_FAILED,
     * LOGIN_LOCKED, SIGN_INS_LIMITED, LOGIN_BUSY, PASSWORD_SAME_AS_OLD, PASSWORD_TOO_WEAK.
     */
    async change(
      caller: AuthCaller,
      { old_password, new_password, ip }: { old_password: string; new_password: string; ip: string },
    ): Promise<void> {
      const { username } = caller
      const check = () => users.authenticate(username, old_password)
      // The password alone may not be enough to sign in, so it does not end a count of wrong codes.
      const user = await logins.attempt({ username, ip }, check, { clears: false })
      if (!user) throw new AppError('AUTH_FAILED')
      if (new_password.normalize('NFKC') === old_password.normalize('NFKC'))
        throw new AppError('PASSWORD_SAME_AS_OLD')
      const replaced = await users.setPassword(user._id, new_password, {
        must_change_password: false,
        where: { password_hash: user.password_hash },
      })
      if (!replaced) throw new AppError('AUTH_FAILED')
      await sessions.endAll(user._id, { except: caller.session_id })
    },

    /**
     * Sets the password for a user manager or an operator; ends every session, every credential and any lockout.
     * Throws NOT_FOUND if no such account matches `where`, PASSWORD_TOO_WEAK.
     */
    async reset(user_id: string, new_password: string, where?: UserCondition): Promise<void> {
      const user = await users.setPassword(user_id, new_password, {
        must_change_password: config.require_password_change_after_reset,
        where,
      })
      if (!user) throw new AppError('NOT_FOUND')
      await sessions.endAll(user_id)
      await extensions['auth.password_reset'].ask({ user_id })
      await accountLockout.clear(user.username)
    },
  }
}
