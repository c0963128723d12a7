import { AppError, type Guard, type GuardRequest } from '#kernel'
import type { UserDocument } from '../users/types.ts'
import { listPermissions } from './logins.ts'
import type { Cradle } from './manifest.ts'
import type { Claims } from './tokens.ts'
import type { AuthCaller, SessionDocument } from './types.ts'

/** The routes that an account can still use while it must change its password. */
const OPEN_ROUTES = new Set(['/auth/me', '/auth/change-password', '/auth/logout'])

/** The subprotocol of this API's sockets, and the prefix of a token that a client offers as another subprotocol. */
const PROTOCOL = 'svc'
const BEARER = 'bearer.'

/** Admits the bearer of a token whose session is live and whose account is enabled; adds the caller to the context. */
export const userGuard: Guard<'user', Cradle> = {
  errors: ['AUTH_FAILED', 'TOKEN_EXPIRED', 'USER_DISABLED', 'PASSWORD_CHANGE_REQUIRED', 'FORBIDDEN'],
  async check(request, cradle) {
    const { sessions, users, permissionCatalog, limits } = cradle
    const claims = await readClaims(request, cradle)
    await limits.admitAccount(claims.sub)
    const [session, user] = await Promise.all([sessions.find(claims.jti), users.find(claims.sub)])
    if (user && !user.enabled) throw new AppError('USER_DISABLED')
    if (!user || session?.user_id !== user._id || session.ended_at !== null) throw new AppError('AUTH_FAILED')
    if (user.must_change_password && !OPEN_ROUTES.has(request.route))
      throw new AppError('PASSWORD_CHANGE_REQUIRED')
    if (request.transport === 'http') await renew(request, claims, user, session, cradle)
    else confirmProtocol(request)
    const { _id: id, username, role, locale, token_quota, must_change_password } = user
    const permissions = listPermissions(user, permissionCatalog)
    const { _id: session_id } = session
    return {
      caller: { id, username, role, permissions, locale, token_quota, session_id, must_change_password },
    }
  },
}

/** Admits callers who hold the permission in the guard's argument. */
export const permissionGuard: Guard<'permission', Cradle> = {
  after: 'user',
  description: 'Needs the permission `{argument}`, which administrators have.',
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

/** Reads the claims of the request's token; a request without a valid one counts against its address. */
async function readClaims(request: GuardRequest, { tokens, limits }: Cradle): Promise<Claims> {
  const token = readToken(request)
  try {
    if (!token) throw new AppError('AUTH_FAILED')
    return await tokens.verify(token)
  } catch (error) {
    await limits.admitAddress(request.ip)
    throw error
  }
}

/** Reads the token of a request: a socket may carry it elsewhere, since browsers cannot set headers on a WebSocket. */
function readToken({ transport, headers, query }: GuardRequest): string | undefined {
  const bearer = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer || transport === 'http') return bearer
  if (typeof query.token === 'string') return query.token
  return listProtocols(headers)
    .find((name) => name.startsWith(BEARER))
    ?.slice(BEARER.length)
}

const listProtocols = (headers: GuardRequest['headers']) =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())

/**
 * Confirms one of the offered subprotocols, without which browsers fail the connection; if PROTOCOL is among them, the
 * reply does not repeat the token.
 */
function confirmProtocol({ headers, setHeader }: GuardRequest): void {
  const offered = listProtocols(headers)
  const known = offered.find((name) => name === PROTOCOL) ?? offered.find((name) => name.startsWith(BEARER))
  if (known) setHeader('Sec-WebSocket-Protocol', known)
}

/** Reads the caller that `userGuard` added to the context of a request or a socket. */
export function readCaller(context: object): AuthCaller | undefined {
  return (context as { caller?: AuthCaller }).caller
}

/** Sends a new token in `X-Access-Token` if less than a third of the present token's life is left. */
async function renew(
  request: GuardRequest,
  { iat, exp }: Claims,
  user: UserDocument,
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
