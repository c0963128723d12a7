import type { KernelServices } from '#kernel'
import type { UserDocument } from '../users/types.ts'
import type { AuthCaller } from './types.ts'

/** What an account may do: the whole catalog for administrators, for others what they were granted; sorted. */
export function permissionsOf(
  { role, permissions }: Pick<UserDocument, 'role' | 'permissions'>,
  registries: KernelServices['registries'],
): string[] {
  const held = role === 'admin' ? registries.permissions.list().map(({ key }) => key) : [...permissions]
  return held.sort()
}

/** The account as its own user sees it. */
export function describeUser(user: UserDocument, registries: KernelServices['registries']) {
  const { _id: id, username, role, display_name, email, locale, must_change_password } = user
  const permissions = permissionsOf(user, registries)
  return { id, username, role, display_name, email, locale, permissions, must_change_password }
}

/** The caller that a guard found, as it stands in the context of a request or a socket. */
export function callerOf(context: object): AuthCaller | undefined {
  return (context as { caller?: AuthCaller }).caller
}
