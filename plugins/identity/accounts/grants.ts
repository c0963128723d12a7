import { AppError } from '#plugin-api'
import type { AuthCaller } from '../auth/types.ts'
import type { Role } from '../users/types.ts'
import type { Cradle } from './manifest.ts'

/** The role and permissions that a caller wants an account to have. */
interface Grant {
  role?: Role
  permissions?: readonly string[]
}

/** The rule that callers grant and revoke only permissions that they hold. */
export type Grants = ReturnType<typeof createGrants>

/** Creates the rule for the permissions that enabled plugins declare. */
export function createGrants({ permissionCatalog }: Pick<Cradle, 'permissionCatalog'>) {
  return {
    /**
     * Throws VALIDATION_FAILED for permissions that no plugin declares, GRANT_EXCEEDS if the caller lacks a permission
     * that is granted or revoked. `held` lists the present permissions of the account.
     */
    assertGrantable(
      caller: Pick<AuthCaller, 'role' | 'permissions'>,
      { role, permissions: newPermissions }: Grant,
      currentPermissions: readonly string[] = [],
    ): void {
      const permissions = newPermissions ?? currentPermissions
      const issues = permissions.flatMap((key, index) =>
        currentPermissions.includes(key) || permissionCatalog.get(key)
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
      const granted = permissions.filter((key) => !currentPermissions.includes(key))
      const revoked = currentPermissions.filter((key) => !permissions.includes(key))
      const missing = [...granted, ...revoked].filter((key) => !caller.permissions.includes(key))
      if (role === 'admin') missing.push('admin')
      if (missing.length > 0) throw new AppError('GRANT_EXCEEDS', { missing })
    },
  }
}
