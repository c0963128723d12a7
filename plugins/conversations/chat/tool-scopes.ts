import { AppError } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Cradle } from './manifest.ts'

/** Throws SCOPE_MISSING if a credential would allow a call of a tool that the turns it starts cannot use. */
export function assertMayAllow(
  { credential, role, permissions }: AuthCaller,
  tools: readonly string[],
  { extensions }: Pick<Cradle, 'extensions'>,
): void {
  if (!credential || role === 'admin') return
  for (const name of tools) {
    const scope = extensions['agents.tools'].get(name)?.permission
    if (scope !== undefined && !permissions.includes(scope)) throw new AppError('SCOPE_MISSING', { scope })
  }
}
