import type { Route } from '#kernel'
import { applyRules, listGrants } from './claim-rules.ts'
import { type Cradle, route } from './manifest.ts'
import { preview, previewBody, settingChanges, settingsRow, testResult } from './schemas.ts'
import { toSettingsRow } from './settings-rows.ts'
import { testSettings } from './settings-test.ts'
import type { EntryPoint } from './types.ts'

const guard = ['permission', 'sso'] as const

/** Defines the routes of the settings at one entry point; the path of OpenID Connect has no kind in it. */
const defineSettingsRoutes = (
  entry: EntryPoint,
  path: string,
  settings: 'SignInSettings' | 'OidcSettings',
  readKind: (params: Readonly<Record<string, string>>) => string,
): Route<Cradle>[] => [
  route({
    method: 'GET',
    path,
    operation_id: `get${settings}`,
    summary: 'Get the settings of a way to sign in',
    guard,
    response: { 200: settingsRow },
    errors: ['NOT_FOUND'],
  }).handle(async ({ params, locale }, { signInSettings, ssoAddresses }) => {
    const kind = signInSettings.getKind(readKind(params))
    return toSettingsRow(await signInSettings.find(kind), kind, { entry, locale, ssoAddresses })
  }),

  route({
    method: 'PUT',
    path,
    operation_id: `set${settings}`,
    summary: 'Change the settings of a way to sign in; fields that are left out keep their values',
    guard,
    body: settingChanges,
    response: { 200: settingsRow },
    errors: ['NOT_FOUND', 'ADDRESS_NOT_ALLOWED', 'GRANT_EXCEEDS'],
    audit: { action: 'sso.update', target: 'kind' },
  }).handle(async ({ params, caller, body, locale }, { signInSettings, ssoAddresses }) => {
    const kind = signInSettings.getKind(readKind(params))
    const stored = await signInSettings.change(caller, kind, body)
    return toSettingsRow(stored, kind, { entry, locale, ssoAddresses })
  }),

  route({
    method: 'POST',
    path: `${path}/test`,
    operation_id: `test${settings}`,
    summary: 'Test the stored settings as far as possible without a user',
    guard,
    response: { 200: testResult },
    errors: ['NOT_FOUND'],
    audit: { none: 'It tests and stores nothing.' },
  }).handle(({ params, locale, signal }, cradle) =>
    testSettings(cradle.signInSettings.getKind(readKind(params)), cradle, { locale, signal }),
  ),
]

const previewRules = route({
  method: 'POST',
  path: '/auth/oauth/providers/:kind/preview',
  operation_id: 'previewClaimRules',
  summary: 'Preview what these rules, or the stored ones, would grant a new account with these claims',
  guard,
  body: previewBody,
  response: { 200: preview },
  errors: ['NOT_FOUND'],
  audit: { none: 'It calculates and stores nothing.' },
}).handle(async ({ params, body }, { signInSettings, permissionCatalog }) => {
  const stored = await signInSettings.find(signInSettings.getKind(params.kind!))
  const rules = body.rules ?? stored.rules
  const { role, permissions, matched } = applyRules(rules, body.claims, { role: 'user', permissions: [] })
  const isKnown = (key: string) => permissionCatalog.get(key) !== undefined
  const unknown_permissions = listGrants(rules).permissions.filter((key) => !isKnown(key))
  return { role, permissions: permissions.filter(isKnown), matched, unknown_permissions }
})

/** The routes of the settings, for those who may manage single sign-on. */
export const settingsRoutes: Route<Cradle>[] = [
  ...defineSettingsRoutes('oauth', '/auth/oauth/providers/:kind', 'SignInSettings', ({ kind }) => kind!),
  ...defineSettingsRoutes('oidc', '/auth/oidc/config', 'OidcSettings', () => 'oidc'),
  previewRules,
]
