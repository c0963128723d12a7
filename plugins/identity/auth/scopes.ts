import { AppError, type GuardRequest } from '#plugin-api'
import { listPermissions } from './logins.ts'
import type { Cradle } from './manifest.ts'
import type { Rights } from './types.ts'

/** The scopes besides the permissions, each with those that it covers; `admin` covers all. */
const COVERED: ReadonlyMap<string, readonly string[]> = new Map([
  ['read', ['read']],
  ['chat', ['chat', 'read']],
  ['write', ['write', 'read']],
  ['admin', []],
])

/** The scope of routes that no credential opens, whatever it covers: they need a session. */
export const SESSION = 'session'

/** Limits what credentials may do to their scopes. */
export type Scopes = ReturnType<typeof createScopes>

/** Creates the limits. */
export function createScopes({ permissionCatalog }: Pick<Cradle, 'permissionCatalog'>) {
  const covers = (scopes: readonly string[], requiredScope: string): boolean =>
    requiredScope !== SESSION &&
    scopes.some(
      (scope) => scope === 'admin' || scope === requiredScope || COVERED.get(scope)?.includes(requiredScope),
    )

  /** Returns the rights that are left of an account's. */
  const restrict = (user: Rights, scopes: readonly string[]): Rights => {
    const permissions = listPermissions(user, permissionCatalog)
    if (scopes.includes('admin')) return { role: user.role, permissions }
    return { role: 'user', permissions: permissions.filter((key) => scopes.includes(key)) }
  }

  /** Lists the scopes each of which opens a route or socket; the first is named in a refusal. */
  const listWanted = (request: GuardRequest): string[] => {
    const { guard, scope } = request
    if (scope !== undefined) return [scope]
    const [name, argument = ''] = typeof guard === 'string' ? [guard] : guard
    const permission = permissionCatalog.get(argument) ? [argument] : []
    if (isRead(request)) return ['read', ...permission]
    if (permission.length > 0) return permission
    return [name === 'admin' ? 'admin' : 'write']
  }

  return {
    restrict,

    /** True for the fixed scopes and the permissions of the catalog. */
    isKnown: (scope: string): boolean => COVERED.has(scope) || permissionCatalog.get(scope) !== undefined,

    /** Lists the scopes that exceed the rights of an account. */
    listMissing({ role, permissions }: Rights, scopes: readonly string[]): string[] {
      const exceeds = (scope: string) =>
        scope === 'admin' ? role !== 'admin' : !COVERED.has(scope) && !permissions.includes(scope)
      return scopes.filter(exceeds)
    },

    /**
     * Returns the rights with which a credential of an account may make a request: the rights of the account if it only
     * reads, else what the scopes leave of them. Throws SCOPE_MISSING, SESSION_REQUIRED.
     */
    admit(request: GuardRequest, user: Rights, scopes: readonly string[]): Rights {
      const requiredScopes = listWanted(request)
      if (!requiredScopes.some((scope) => covers(scopes, scope))) {
        const [scope] = requiredScopes
        throw new AppError(scope === SESSION ? 'SESSION_REQUIRED' : 'SCOPE_MISSING', { scope })
      }
      return isRead(request) && covers(scopes, 'read') ? user : restrict(user, scopes)
    },
  }
}

/** True for requests that change nothing; a socket also takes frames that do. */
const isRead = ({ transport, method }: GuardRequest) =>
  transport === 'http' && (method === 'GET' || method === 'HEAD')
