import { AppError } from '#kernel'
import type { LoginReply } from '#plugin-api'
import type { UserDocument } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import type { AccountLockout } from './account-lockout.ts'
import type { AddressLimit } from './address-limit.ts'
import { describeUser } from './callers.ts'
import type { Cradle } from './manifest.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './tokens.ts'
import type { Origin, SignInMethod } from './types.ts'

/** Checks passwords under the lockout and opens sessions. */
export type Logins = ReturnType<typeof createLogins>

/** Makes the way in. */
export function createLogins({
  users,
  sessions,
  tokens,
  accountLockout,
  addressLimit,
  permissionCatalog,
  events,
  config,
}: {
  users: Users
  sessions: Sessions
  tokens: Tokens
  accountLockout: AccountLockout
  addressLimit: AddressLimit
} & Pick<Cradle, 'permissionCatalog' | 'events' | 'config'>) {
  /** Throws AUTH_FAILED for all that is wrong with name, password or account, LOGIN_LOCKED, SIGN_INS_LIMITED, LOGIN_BUSY. */
  const authenticate = async (username: string, password: string, ip: string): Promise<UserDocument> => {
    const user = await addressLimit.attempt(ip, () =>
      accountLockout.attempt(username, () => users.authenticate(username, password)),
    )
    if (!user) throw new AppError('AUTH_FAILED')
    return user
  }

  /** Opens a session for an account that has shown who it is, by whatever means, and returns the reply to a login. */
  const open = async (user: UserDocument, origin: Origin, method: SignInMethod): Promise<LoginReply> => {
    const session = await sessions.create(user._id, origin)
    // A reset that ended all sessions just before this one was stored must not be outlived by it.
    const now = await users.find(user._id)
    if (!now?.enabled || now.password_hash !== user.password_hash) {
      await sessions.discard(session._id)
      throw new AppError('AUTH_FAILED')
    }
    void events.emit('account.signed_in', { user_id: now._id, method })
    return {
      access_token: await tokens.sign(now, session),
      token_type: 'Bearer',
      expires_in: config.access_token_ttl_seconds,
      user: describeUser(now, permissionCatalog),
    }
  }

  return {
    authenticate,
    open,
    logIn: async (username: string, password: string, origin: Origin) =>
      open(await authenticate(username, password, origin.ip), origin, 'password'),
  }
}
