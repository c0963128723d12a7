import { AppError } from '#kernel'
import type { AuthCaller } from '../auth/types.ts'
import type { Role } from '../users/types.ts'
import type { Cradle } from './manifest.ts'

/** What somebody is about to give an account. */
export interface Grant {
  role?: Role
  permissions?: readonly string[]
}

/** The rule that people give and take only what they hold. */
export type Grants = ReturnType<typeof createGrants>

/** Makes the rule over the permissions that enabled plugins declare. */
export function createGrants({ permissionCatalog }: Pick<Cradle, 'permissionCatalog'>) {
  return {
    /**
     * Throws VALIDATION_FAILED for permissions that no plugin declares, GRANT_EXCEEDS if the caller lacks one that is
     * given or taken away. `held` is what the account has already.
     */
    assertGrantable(
      caller: Pick<AuthCaller, 'role' | 'permissions'>,
      { role, permissions: wanted }: Grant,
      held: readonly string[] = [],
    ): void {
      const permissions = wanted ?? held
      const issues = permissions.flatMap((key, index) =>
        held.includes(key) || permissionCatalog.get(key)
          ? []
          : [
              {
                path: `/permissions/${index}`,
                rule: 'permission',
                message: 'is not a known permission',
              },
            ],
      )
      if (issues.length > 0) throw new AppError('VALIDATION_FAILED', { issues })
      if (caller.role === 'admin') return
      const given = permissions.filter((key) => !held.includes(key))
      const taken = held.filter((key) => !permissions.includes(key))
      const missing = [...given, ...taken].filter((key) => !caller.permissions.includes(key))
      if (role === 'admin') missing.push('admin')
      if (missing.length > 0) throw new AppError('GRANT_EXCEEDS', { missing })
    },
  }
}
