import { AppError, type Guard, type GuardRequest } from '#kernel'
import type { UserDocument } from '../users/types.ts'
import { permissionsOf } from './callers.ts'
import type { Cradle } from './manifest.ts'
import type { Claims } from './tokens.ts'
import type { AuthCaller, SessionDocument } from './types.ts'

/** What an account that must change its password can still use. */
const OPEN_ROUTES = new Set(['/auth/me', '/auth/change-password', '/auth/logout'])

/** The subprotocol of this API's sockets, and what a token is offered behind, as one more of them. */
const PROTOCOL = 'svc'
const BEARER = 'bearer.'

/** Lets in the holder of a token whose session and account are alive; adds the caller. */
export const userGuard: Guard<'user', Cradle> = {
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
    const permissions = permissionsOf(user, permissionCatalog)
    const { _id: session_id } = session
    return {
      caller: { id, username, role, permissions, locale, token_quota, session_id, must_change_password },
    }
  },
}

/** Lets in those who hold the permission that it is used with. */
export const permissionGuard: Guard<'permission', Cradle> = {
  after: 'user',
  check(_request, _cradle, { caller }: { caller: AuthCaller }, permission) {
    if (caller.role === 'admin' || caller.permissions.includes(permission!)) return {}
    throw new AppError('FORBIDDEN', { permission })
  },
}

/** Lets in administrators. */
export const adminGuard: Guard<'admin', Cradle> = {
  after: 'user',
  check(_request, _cradle, { caller }: { caller: AuthCaller }) {
    if (caller.role !== 'admin') throw new AppError('FORBIDDEN')
    return {}
  },
}

/** Whose token a request carries; who has none that is valid is counted by their address. */
async function readClaims(request: GuardRequest, { tokens, limits }: Cradle): Promise<Claims> {
  const token = tokenOf(request)
  try {
    if (!token) throw new AppError('AUTH_FAILED')
    return await tokens.verify(token)
  } catch (error) {
    await limits.admitAddress(request.ip)
    throw error
  }
}

/** The token of a request; browsers cannot set headers on a WebSocket, so there it may come in other ways. */
function tokenOf({ transport, headers, query }: GuardRequest): string | undefined {
  const bearer = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer || transport === 'http') return bearer
  if (typeof query.token === 'string') return query.token
  return offeredProtocols(headers)
    .find((name) => name.startsWith(BEARER))
    ?.slice(BEARER.length)
}

const offeredProtocols = (headers: GuardRequest['headers']) =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())

/** Browsers fail where none of what they offered is confirmed; with PROTOCOL beside it, the token stays out of the answer. */
function confirmProtocol({ headers, setHeader }: GuardRequest): void {
  const offered = offeredProtocols(headers)
  const known = offered.find((name) => name === PROTOCOL) ?? offered.find((name) => name.startsWith(BEARER))
  if (known) setHeader('Sec-WebSocket-Protocol', known)
}

/** Hands a fresh token to whoever uses one with less than a third of its life left. */
async function renew(
  request: GuardRequest,
  { iat, exp }: Claims,
  user: UserDocument,
  session: SessionDocument,
  { tokens, sessions, clock, config }: Cradle,
): Promise<void> {
  const late = (end: number, life: number) => (end - clock.seconds()) * 3 < life
  if (!late(exp, exp - iat)) return
  // Another request with the same token may have prolonged the session already.
  const { access_token_ttl_seconds } = config
  const current = late(session.expires_at, access_token_ttl_seconds)
    ? await sessions.extend(session._id)
    : session
  if (current) request.setHeader('X-Access-Token', await tokens.sign(user, current))
}
