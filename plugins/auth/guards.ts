import { AppError, type Cradle, type Guard, type GuardRequest } from '#kernel'
import type { UserDocument } from '../users/types.ts'
import { permissionsOf } from './callers.ts'
import type { Claims } from './tokens.ts'
import type { AuthCaller, AuthConfig, SessionDocument } from './types.ts'

/** What an account that must change its password can still use. */
const OPEN_ROUTES = new Set(['/auth/me', '/auth/change-password', '/auth/logout'])

/** Lets in the holder of a token whose session and account are alive; adds the caller. */
export const userGuard: Guard<'user'> = {
  async check(request, cradle) {
    const { tokens, sessions, users, registries } = cradle
    const token = tokenOf(request)
    if (!token) throw new AppError('AUTH_FAILED')
    const claims = await tokens.verify(token)
    const [session, user] = await Promise.all([sessions.find(claims.jti), users.find(claims.sub)])
    if (user && !user.enabled) throw new AppError('USER_DISABLED')
    if (!user || session?.user_id !== user._id || session.ended_at !== null) throw new AppError('AUTH_FAILED')
    if (user.must_change_password && !OPEN_ROUTES.has(request.route))
      throw new AppError('PASSWORD_CHANGE_REQUIRED')
    if (request.transport === 'http') await renew(request, claims, user, session, cradle)
    const { _id: id, username, role, locale, token_quota, must_change_password } = user
    const permissions = permissionsOf(user, registries)
    const { _id: session_id } = session
    return {
      caller: { id, username, role, permissions, locale, token_quota, session_id, must_change_password },
    }
  },
}

/** Lets in those who hold the permission that it is used with. */
export const permissionGuard: Guard<'permission'> = {
  after: 'user',
  check(_request, _cradle, { caller }: { caller: AuthCaller }, permission) {
    if (caller.role === 'admin' || caller.permissions.includes(permission!)) return {}
    throw new AppError('FORBIDDEN', { permission })
  },
}

/** Lets in administrators. */
export const adminGuard: Guard<'admin'> = {
  after: 'user',
  check(_request, _cradle, { caller }: { caller: AuthCaller }) {
    if (caller.role !== 'admin') throw new AppError('FORBIDDEN')
    return {}
  },
}

/** The token of a request; browsers cannot set headers on a WebSocket, so there it may come in other ways. */
function tokenOf({ transport, headers, query }: GuardRequest): string | undefined {
  const bearer = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer || transport === 'http') return bearer
  if (typeof query.token === 'string') return query.token
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())
  return protocols.find((name) => name.startsWith('bearer.'))?.slice('bearer.'.length)
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
  const { access_token_ttl_seconds } = config as AuthConfig
  const current = late(session.expires_at, access_token_ttl_seconds)
    ? await sessions.extend(session._id)
    : session
  if (current) request.setHeader('X-Access-Token', await tokens.sign(user, current))
}
