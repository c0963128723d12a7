import { AppError, reply } from '#kernel'
import type { LoginReply } from '#plugin-api'
import type { UserDocument } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import type { AccountLockout } from './account-lockout.ts'
import type { Cradle } from './manifest.ts'
import type { AddressLimit } from './rate-limits.ts'
import type { RefreshTokens } from './refresh-tokens.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './tokens.ts'
import type { Headers, Origin, SessionDocument, SignInMethod, SignInRequest } from './types.ts'

/** Checks passwords under the limits of failed sign-ins, and opens sessions. */
export type Logins = ReturnType<typeof createLogins>

/** Creates the logins. */
export function createLogins({
  users,
  sessions,
  tokens,
  refreshTokens,
  accountLockout,
  addressLimit,
  permissionCatalog,
  events,
  config,
}: {
  users: Users
  sessions: Sessions
  tokens: Tokens
  refreshTokens: RefreshTokens
  accountLockout: AccountLockout
  addressLimit: AddressLimit
} & Pick<Cradle, 'permissionCatalog' | 'events' | 'config'>) {
  /**
   * Returns the account with this name and password. Throws AUTH_FAILED whatever is wrong with name, password or
   * account, LOGIN_LOCKED, SIGN_INS_LIMITED, LOGIN_BUSY.
   */
  const authenticate = async (username: string, password: string, ip: string): Promise<UserDocument> => {
    const user = await addressLimit.attempt(ip, () =>
      accountLockout.attempt(username, () => users.authenticate(username, password)),
    )
    if (!user) throw new AppError('AUTH_FAILED')
    return user
  }

  const describeLogin = async (user: UserDocument, session: SessionDocument): Promise<LoginReply> => ({
    access_token: await tokens.sign(user, session),
    token_type: 'Bearer',
    expires_in: config.access_token_ttl_seconds,
    user: describeUser(user, permissionCatalog),
  })

  /**
   * Opens a session for an account whose user has been authenticated by `method`. Throws AUTH_FAILED if the account was
   * disabled, or its password changed, meanwhile.
   */
  const openSession = async (
    user: UserDocument,
    origin: Origin,
    { method, hasCookie }: { method: SignInMethod; hasCookie?: boolean },
  ) => {
    const session = await sessions.create(user._id, origin, { hasCookie })
    // A password reset that ended all sessions just before this one was stored must end this one too.
    const now = await users.find(user._id)
    if (!now?.enabled || now.password_hash !== user.password_hash) {
      await sessions.discard(session._id)
      throw new AppError('AUTH_FAILED')
    }
    void events.emit('account.signed_in', { user_id: now._id, method })
    return { session, body: await describeLogin(now, session) }
  }

  /** The same for the account that a request signs in to; returns the reply to the request. */
  const signIn = async (
    user: UserDocument,
    { ip, headers, body: { cookie: hasCookie } }: SignInRequest,
    method: SignInMethod,
  ) => {
    const origin = { ip, user_agent: headers['user-agent']?.toString() ?? null }
    const { session, body } = await openSession(user, origin, { method, hasCookie })
    return reply(200, body, await refreshTokens.store(session, headers))
  }

  return {
    authenticate,
    signIn,

    /** Opens a session without a cookie; returns the body of the reply to a login. Throws AUTH_FAILED as `signIn`. */
    open: async (user: UserDocument, origin: Origin, method: SignInMethod): Promise<LoginReply> =>
      (await openSession(user, origin, { method })).body,

    logIn: async (request: SignInRequest & { body: { username: string; password: string } }) => {
      const { username, password } = request.body
      return signIn(await authenticate(username, password, request.ip), request, 'password')
    },

    /** Continues the session of the cookie; returns the reply. Throws AUTH_FAILED, REFRESH_CROSS_SITE. */
    async refresh(headers: Headers) {
      const session = await refreshTokens.redeem(headers)
      const user = await users.find(session.user_id)
      if (!user?.enabled) throw new AppError('AUTH_FAILED')
      return reply(200, await describeLogin(user, session), await refreshTokens.store(session, headers))
    },
  }
}

/** Lists the permissions of an account, sorted; an administrator has every declared one. */
export function listPermissions(
  { role, permissions }: Pick<UserDocument, 'role' | 'permissions'>,
  permissionCatalog: Cradle['permissionCatalog'],
): string[] {
  const held = role === 'admin' ? permissionCatalog.list().map(({ key }) => key) : [...permissions]
  return held.sort()
}

/** Returns the account as its own user sees it. */
export function describeUser(user: UserDocument, permissionCatalog: Cradle['permissionCatalog']) {
  const { _id: id, username, role, display_name, email, locale, must_change_password } = user
  const permissions = listPermissions(user, permissionCatalog)
  return { id, username, role, display_name, email, locale, permissions, must_change_password }
}
