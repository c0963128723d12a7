import { AppError, type ErrorCode, type LoginReply, reply } from '#plugin-api'
import type { Account } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import type { AccountLockout, AttemptOptions } from './account-lockout.ts'
import type { Cradle } from './manifest.ts'
import type { AddressLimit } from './rate-limits.ts'
import type { RefreshTokens } from './refresh-tokens.ts'
import type { Refunds } from './refunds.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './tokens.ts'
import type {
  Headers,
  Origin,
  PasswordSignIn,
  SessionDocument,
  SignInMethod,
  SignInRequest,
} from './types.ts'

/** The things that a user enters to sign in. */
interface Credentials {
  username: string
  password: string
  code?: string
}

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
  refunds,
  permissionCatalog,
  events,
  extensions,
  config,
}: {
  users: Users
  sessions: Sessions
  tokens: Tokens
  refreshTokens: RefreshTokens
  accountLockout: AccountLockout
  addressLimit: AddressLimit
  refunds: Refunds
} & Pick<Cradle, 'permissionCatalog' | 'events' | 'extensions' | 'config'>) {
  /**
   * Runs a check of something secret of an account under the limits of failed sign-ins; undefined is a failure. Throws
   * LOGIN_LOCKED, SIGN_INS_LIMITED, LOGIN_BUSY.
   */
  const attempt = async <Value>(
    { username, ip }: { username: string; ip: string },
    check: () => Promise<Value | undefined>,
    options?: AttemptOptions,
  ): Promise<Value | undefined> => {
    await refunds.settle()
    return addressLimit.attempt(ip, () => accountLockout.attempt(username, check, options))
  }

  /** Throws SECOND_FACTOR_MISSING; returns false if the code is wrong. */
  const passesSecondFactors = async (signIn: PasswordSignIn): Promise<boolean> => {
    const answers = await extensions['auth.second_factors'].ask(signIn)
    if (answers.includes('wrong')) return false
    if (answers.includes('missing')) throw new AppError('SECOND_FACTOR_MISSING')
    return true
  }

  /**
   * Returns the account with this name and password, and the code if it needs one. Throws AUTH_FAILED whatever is wrong
   * with name, password or account, SECOND_FACTOR_MISSING, SECOND_FACTOR_WRONG, and the errors of `attempt`.
   */
  const authenticate = async ({ username, password, code }: Credentials, ip: string): Promise<Account> => {
    let refusal: ErrorCode = 'AUTH_FAILED'
    const user = await attempt({ username, ip }, async () => {
      const user = await users.authenticate(username, password)
      if (!user || (await passesSecondFactors({ user, code }))) return user
      refusal = 'SECOND_FACTOR_WRONG'
      return undefined
    })
    if (!user) throw new AppError(refusal)
    return user
  }

  const listRequiredActions = async (user: Account, method: SignInMethod): Promise<string[]> => {
    const actions = extensions['auth.required_actions'].list()
    const due = await Promise.all(actions.map((action) => action.isDue({ user, method })))
    return actions.filter((_, index) => due[index]).map(({ name }) => name)
  }

  const describeLogin = async (user: Account, session: SessionDocument): Promise<LoginReply> => ({
    access_token: await tokens.sign(user, session),
    token_type: 'Bearer',
    expires_in: config.access_token_ttl_seconds,
    user: describeUser(user, permissionCatalog, pendingActions(session, extensions)),
  })

  /**
   * Opens a session for an account whose user has been authenticated by `method`. Throws AUTH_FAILED if the account was
   * disabled, or its password changed, meanwhile.
   */
  const openSession = async (
    user: Account,
    origin: Origin,
    { method, hasCookie }: { method: SignInMethod; hasCookie?: boolean },
  ) => {
    const required_actions = await listRequiredActions(user, method)
    const session = await sessions.create(user._id, origin, { hasCookie, required_actions })
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
    user: Account,
    { ip, headers, body: { cookie: hasCookie } }: SignInRequest,
    method: SignInMethod,
  ) => {
    const origin = { ip, user_agent: headers['user-agent']?.toString() ?? null }
    const { session, body } = await openSession(user, origin, { method, hasCookie })
    return reply(200, body, await refreshTokens.store(session, headers))
  }

  return {
    attempt,
    signIn,

    /** Opens a session without a cookie; returns the body of the reply to a login. Throws AUTH_FAILED as `signIn`. */
    open: async (user: Account, origin: Origin, method: SignInMethod): Promise<LoginReply> =>
      (await openSession(user, origin, { method })).body,

    logIn: async (request: SignInRequest & { body: Credentials }) =>
      signIn(await authenticate(request.body, request.ip), request, 'password'),

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
  { role, permissions }: Pick<Account, 'role' | 'permissions'>,
  permissionCatalog: Cradle['permissionCatalog'],
): string[] {
  const ownPermissions = role === 'admin' ? permissionCatalog.list().map(({ key }) => key) : [...permissions]
  return ownPermissions.sort()
}

/** Lists what a session must still do before it can be used; actions of plugins that are switched off do not count. */
export const pendingActions = (
  { required_actions = [] }: Pick<SessionDocument, 'required_actions'>,
  extensions: Cradle['extensions'],
): string[] => required_actions.filter((name) => extensions['auth.required_actions'].get(name))

/** Returns the account as its own user sees it in a session that has these actions left. */
export function describeUser(
  user: Account,
  permissionCatalog: Cradle['permissionCatalog'],
  required_actions: readonly string[],
) {
  const { _id: id, username, role, display_name, email, locale } = user
  const { timezone = null, memory = true, must_change_password } = user
  const permissions = listPermissions(user, permissionCatalog)
  const profile = { id, username, role, display_name, email, locale, timezone, memory }
  const account = { ...profile, permissions, must_change_password }
  return { ...account, ...(required_actions.length > 0 && { required_actions: [...required_actions] }) }
}
