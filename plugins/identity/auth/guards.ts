import { AppError, type Guard, type GuardRequest } from '#plugin-api'
import type { Account } from '../users/types.ts'
import { type Bearer, confirmProtocol, readBearer } from './bearer.ts'
import { listPermissions, pendingActions } from './logins.ts'
import type { Cradle } from './manifest.ts'
import type { Claims } from './tokens.ts'
import type { AuthCaller, SessionDocument } from './types.ts'

/** The routes that an account can still use while it must change its password. */
const OPEN_ROUTES = new Set(['/auth/me', '/auth/change-password', '/auth/logout'])
/** The routes that a session can use, besides the routes of its required actions, while it has any. */
const OPEN_CALLS = new Set(['GET /auth/me', 'POST /auth/logout'])

/** Adds the bearer of a token, whose session is live and whose account is enabled, to the context. */
export const bearerGuard: Guard<'bearer', Cradle> = {
  errors: ['AUTH_FAILED', 'TOKEN_EXPIRED', 'USER_DISABLED'],
  async check(request, cradle) {
    const opener = request.opened && readCaller(request.opened)
    return { caller: opener ? await readAgain(opener, cradle) : await readSender(request, cradle) }
  },
}

/** Reads the caller who sent the token of a request, and renews a token that is about to expire. */
async function readSender(request: GuardRequest, cradle: Cradle): Promise<AuthCaller> {
  const { sessions, users, limits } = cradle
  const { user_id, id, claims, credential } = await readBearer(request, cradle)
  await limits.admitAccount(user_id)
  const [session, user] = await Promise.all([
    claims ? sessions.findRecent(id) : undefined,
    users.findRecent(user_id),
  ])
  if (user && !user.enabled) throw new AppError('USER_DISABLED')
  if (!user || (claims && (session?.user_id !== user._id || session.ended_at !== null)))
    throw new AppError('AUTH_FAILED')
  if (request.transport === 'socket') confirmProtocol(request)
  else if (claims && session) await renew(request, claims, user, session, cradle)
  return toCaller(user, { id, session, credential }, cradle)
}

/**
 * Reads the caller of an open connection again. Throws SESSION_ENDED unless the session or credential is live; the
 * token with which it was opened may have been renewed since, and is not read.
 */
async function readAgain({ id, session_id, credential }: AuthCaller, cradle: Cradle): Promise<AuthCaller> {
  const { sessions, users, extensions, clock } = cradle
  const [session, user] = await Promise.all([
    credential ? undefined : sessions.findRecent(session_id),
    users.findRecent(id),
  ])
  const isLive = credential
    ? (await extensions['auth.live_credentials'].ask({ ids: [session_id] })).flat().length > 0
    : session?.ended_at === null && session.expires_at > clock.seconds()
  if (!user?.enabled || !isLive) throw new AppError('SESSION_ENDED')
  return toCaller(user, { id: session_id, session, credential }, cradle)
}

function toCaller(
  user: Account,
  { id, session, credential }: Pick<Bearer, 'id' | 'credential'> & { session: SessionDocument | undefined },
  { users, permissionCatalog, extensions }: Cradle,
): AuthCaller {
  users.noteSeen(user)
  const required_actions = session?.required_actions ? pendingActions(session, extensions) : []
  // Written out, because objects that are spread do not share their shape, which thousands of sockets keep.
  const caller: AuthCaller = {
    id: user._id,
    username: user.username,
    role: user.role,
    permissions: listPermissions(user, permissionCatalog),
    groups: user.group_ids,
    locale: user.locale,
    token_quota: user.token_quota,
    budget: user.budget ?? null,
    timezone: user.timezone ?? null,
    memory: user.memory ?? true,
    must_change_password: user.must_change_password,
    session_id: id,
  }
  if (required_actions.length > 0) caller.required_actions = required_actions
  if (credential) caller.credential = credential
  return caller
}

/** Admits every bearer within the scopes of a credential; a session with required actions can use few routes. */
export const userGuard: Guard<'user', Cradle> = {
  after: 'bearer',
  errors: ['PASSWORD_CHANGE_REQUIRED', 'FORBIDDEN'],
  check(request, { scopes, extensions }, { caller }: { caller: AuthCaller }) {
    if (caller.required_actions) {
      assertOpen(request, caller.required_actions, extensions)
      return {}
    }
    if (caller.must_change_password && !OPEN_ROUTES.has(request.route))
      throw new AppError('PASSWORD_CHANGE_REQUIRED')
    const { credential } = caller
    if (!credential) return {}
    return { caller: { ...caller, ...scopes.admit(request, caller, credential.scopes) } }
  },
}

/** Adds the account of a request that has a token, like `user`; a request without one is a stranger's. */
export const visitorGuard: Guard<'visitor', Cradle> = {
  errors: [...bearerGuard.errors!, ...userGuard.errors!, 'RATE_LIMITED'],
  async check(request, cradle) {
    if (request.headers.authorization === undefined) {
      await cradle.limits.admitAddress(request.ip)
      return {}
    }
    const bearer = await readSender(request, cradle)
    return {
      caller: bearer,
      ...(await userGuard.check(request, cradle, { caller: bearer } as never, undefined)),
    }
  },
}

/** Throws SIGN_IN_INCOMPLETE unless a route is open to a session that must do these things. */
function assertOpen(
  { method, route }: GuardRequest,
  actions: readonly string[],
  extensions: Cradle['extensions'],
): void {
  const call = `${method} ${route}`
  const isOpen = (name: string) => extensions['auth.required_actions'].get(name)!.routes.includes(call)
  if (!OPEN_CALLS.has(call) && !actions.some(isOpen)) throw new AppError('SIGN_IN_INCOMPLETE', { actions })
}

/** Admits callers who hold the permission in the guard's argument. */
export const permissionGuard: Guard<'permission', Cradle> = {
  after: 'user',
  description: 'Needs the permission `{argument}`, which administrators have.',
  argument: 'permission',
  check(_request, _cradle, { caller }: { caller: AuthCaller }, permission) {
    if (caller.role === 'admin' || caller.permissions.includes(permission!)) return {}
    throw new AppError('FORBIDDEN', { permission })
  },
}

/** Admits administrators. */
export const adminGuard: Guard<'admin', Cradle> = {
  after: 'user',
  description: 'For administrators.',
  check(_request, _cradle, { caller }: { caller: AuthCaller }) {
    if (caller.role !== 'admin') throw new AppError('FORBIDDEN')
    return {}
  },
}

/** Reads the caller that the guards added to the context of a request or a socket. */
export function readCaller(context: object): AuthCaller | undefined {
  return (context as { caller?: AuthCaller }).caller
}

/** Sends a new token in `X-Access-Token` if less than a third of the present token's life is left. */
async function renew(
  request: GuardRequest,
  { iat, exp }: Claims,
  user: Account,
  session: SessionDocument,
  { tokens, sessions, clock, config }: Cradle,
): Promise<void> {
  const isLate = (end: number, life: number) => (end - clock.seconds()) * 3 < life
  if (!isLate(exp, exp - iat)) return
  // Another request with the same token may have extended the session already.
  const { access_token_ttl_seconds } = config
  const current = isLate(session.expires_at, access_token_ttl_seconds)
    ? await sessions.extend(session._id)
    : session
  if (current) request.setHeader('X-Access-Token', await tokens.sign(user, current))
}
