import { AppError, type Issue, type TypeOf } from '#kernel'
import type { SignInKinds } from './endpoints.ts'
import type { Cradle } from './manifest.ts'
import type { settingChanges } from './schemas.ts'
import type { SignInKind } from './sign-in-kind.ts'

/** The settings that somebody gives; what is not given stays. */
export type SettingChanges = TypeOf<typeof settingChanges>

/** Settings that one kind alone has: those for which they are required. */
const OWN_SETTINGS = ['issuer', 'agent_id'] as const

/** Throws VALIDATION_FAILED for settings that make no sense, ADDRESS_NOT_ALLOWED for an issuer that may not be reached. */
export async function assertSettings(
  changes: SettingChanges,
  {
    kind,
    permissionCatalog,
    signInKinds,
  }: { kind: SignInKind; signInKinds: SignInKinds } & Pick<Cradle, 'permissionCatalog'>,
): Promise<void> {
  const { issuer, dashboard_origin, rules = [] } = changes
  const issues: Issue[] = []
  for (const name of OWN_SETTINGS)
    if (changes[name] && !kind.required.includes(name))
      issues.push({ path: `/${name}`, rule: 'kind', message: `is no setting of ${kind.kind}` })
  if (issuer && !isIssuer(issuer, signInKinds))
    issues.push({ path: '/issuer', rule: 'issuer', message: 'must be an address that begins with https://' })
  if (dashboard_origin && !isOrigin(dashboard_origin))
    issues.push({ path: '/dashboard_origin', rule: 'origin', message: 'must be an origin and nothing more' })
  for (const [index, { permissions = [] }] of rules.entries())
    for (const [position, key] of permissions.entries())
      if (!permissionCatalog.get(key))
        issues.push({
          path: `/rules/${index}/permissions/${position}`,
          rule: 'permission',
          message: 'is no permission that there is',
        })
  if (issues.length > 0) throw new AppError('VALIDATION_FAILED', { issues: issues.slice(0, MAX_ISSUES) })
  if (issuer) await signInKinds.assertAllowed(issuer)
}

const MAX_ISSUES = 16

function isIssuer(text: string, { isTrustedHost }: SignInKinds): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isTrustedHost(hostname))
}

const isOrigin = (text: string) => URL.canParse(text) && new URL(text).origin === text
