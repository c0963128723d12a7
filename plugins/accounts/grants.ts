import { AppError, type KernelServices } from '#kernel'
import type { AuthCaller } from '../auth/types.ts'
import type { Role } from '../users/types.ts'

/** What somebody is about to give an account. */
export interface Grant {
  role?: Role
  permissions?: readonly string[]
}

/** Holds the rule that people give away only what they have. */
export type Grants = ReturnType<typeof createGrants>

/** Makes the rule over the permissions that enabled plugins declare. */
export function createGrants({ registries }: Pick<KernelServices, 'registries'>) {
  return {
    /**
     * Throws VALIDATION_FAILED for permissions that no plugin declares, GRANT_EXCEEDS for what the caller does
     * not have. `held` is what the account has already.
     */
    assertGrantable(
      caller: Pick<AuthCaller, 'role' | 'permissions'>,
      { role, permissions = [] }: Grant,
      held: readonly string[] = [],
    ): void {
      const added = permissions.filter((key) => !held.includes(key))
      const issues = permissions.flatMap((key, index) =>
        held.includes(key) || registries.permissions.get(key)
          ? []
          : [
              {
                path: `/permissions/${index}`,
                rule: 'permission',
                message: 'is no permission that there is',
              },
            ],
      )
      if (issues.length > 0) throw new AppError('VALIDATION_FAILED', { issues })
      if (caller.role === 'admin') return
      const missing = added.filter((key) => !caller.permissions.includes(key))
      if (role === 'admin') missing.push('admin')
      if (missing.length > 0) throw new AppError('GRANT_EXCEEDS', { missing })
    },
  }
}
