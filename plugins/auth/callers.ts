import type { UserDocument } from '../users/types.ts'
import type { Cradle } from './manifest.ts'
import type { AuthCaller } from './types.ts'

/** What an account may do: the whole catalog for administrators, for others what they were granted; sorted. */
export function permissionsOf(
  { role, permissions }: Pick<UserDocument, 'role' | 'permissions'>,
  permissionCatalog: Cradle['permissionCatalog'],
): string[] {
  const held = role === 'admin' ? permissionCatalog.list().map(({ key }) => key) : [...permissions]
  return held.sort()
}

/** The account as its own user sees it. */
export function describeUser(user: UserDocument, permissionCatalog: Cradle['permissionCatalog']) {
  const { _id: id, username, role, display_name, email, locale, must_change_password } = user
  const permissions = permissionsOf(user, permissionCatalog)
  return { id, username, role, display_name, email, locale, permissions, must_change_password }
}

/** The caller that a guard found, as it stands in the context of a request or a socket. */
export function callerOf(context: object): AuthCaller | undefined {
  return (context as { caller?: AuthCaller }).caller
}
