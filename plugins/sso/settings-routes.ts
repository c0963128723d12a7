import type { Route } from '#kernel'
import { givenBy, judge } from './claim-rules.ts'
import { type Cradle, route } from './manifest.ts'
import { preview, previewBody, settingChanges, settingsRow, testResult } from './schemas.ts'
import { showSettings } from './settings-rows.ts'
import { testSettings } from './settings-test.ts'
import type { EntryName } from './types.ts'

const guard = ['permission', 'sso'] as const

/** The routes of the settings under one of their names; the one of OpenID Connect alone has no kind in its path. */
const managing = (
  entry: EntryName,
  path: string,
  kindIn: (params: Readonly<Record<string, string>>) => string,
): Route<Cradle>[] => [
  route({
    method: 'GET',
    path,
    summary: 'The settings of a way to sign in',
    guard,
    response: { 200: settingsRow },
    errors: ['NOT_FOUND'],
  }).handle(async ({ params, locale }, { signInSettings, ssoAddresses }) => {
    const kind = signInSettings.kindOf(kindIn(params))
    return showSettings(await signInSettings.find(kind), kind, { entry, locale, ssoAddresses })
  }),

  route({
    method: 'PUT',
    path,
    summary: 'Change the settings of a way to sign in; what is left out stays',
    guard,
    body: settingChanges,
    response: { 200: settingsRow },
    errors: ['NOT_FOUND', 'ADDRESS_NOT_ALLOWED', 'GRANT_EXCEEDS'],
    audit: { action: 'sso.update', target: 'kind' },
  }).handle(async ({ params, caller, body, locale }, { signInSettings, ssoAddresses }) => {
    const kind = signInSettings.kindOf(kindIn(params))
    const stored = await signInSettings.change(caller, kind, body)
    return showSettings(stored, kind, { entry, locale, ssoAddresses })
  }),

  route({
    method: 'POST',
    path: `${path}/test`,
    summary: 'Find out whether the stored settings are right, as far as that can be without a person',
    guard,
    response: { 200: testResult },
    errors: ['NOT_FOUND'],
    audit: { none: 'It tests and stores nothing.' },
  }).handle(({ params, locale, signal }, cradle) =>
    testSettings(cradle.signInSettings.kindOf(kindIn(params)), cradle, { locale, signal }),
  ),
]

const previewRules = route({
  method: 'POST',
  path: '/auth/oauth/providers/:kind/preview',
  summary: 'What a new account with these claims would be given by these rules, or by the stored ones',
  guard,
  body: previewBody,
  response: { 200: preview },
  errors: ['NOT_FOUND'],
  audit: { none: 'It calculates and stores nothing.' },
}).handle(async ({ params, body }, { signInSettings, permissionCatalog }) => {
  const stored = await signInSettings.find(signInSettings.kindOf(params.kind!))
  const rules = body.rules ?? stored.rules
  const { role, permissions, matched } = judge(rules, body.claims, { role: 'user', permissions: [] })
  const isKnown = (key: string) => permissionCatalog.get(key) !== undefined
  const unknown_permissions = givenBy(rules).permissions.filter((key) => !isKnown(key))
  return { role, permissions: permissions.filter(isKnown), matched, unknown_permissions }
})

/** The settings, for those who may manage single sign-on. */
export const settingsRoutes: Route<Cradle>[] = [
  ...managing('oauth', '/auth/oauth/providers/:kind', ({ kind }) => kind!),
  ...managing('oidc', '/auth/oidc/config', () => 'oidc'),
  previewRules,
]
