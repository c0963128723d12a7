import { type Cradle, type Locale, type Route, route } from '#kernel'
import { givenBy, judge } from './claim-rules.ts'
import { preview, previewBody, settingChanges, settingsRow, testResult } from './schemas.ts'
import { showSettings } from './settings-rows.ts'
import { testSettings } from './settings-test.ts'
import type { EntryName } from './types.ts'

const guard = ['permission', 'sso'] as const
const CHANGE_ERRORS = ['NOT_FOUND', 'ADDRESS_NOT_ALLOWED', 'GRANT_EXCEEDS'] as const

const show = async (name: string, entry: EntryName, locale: Locale, cradle: Cradle) => {
  const { signInSettings, ssoAddresses } = cradle
  const kind = signInSettings.kindOf(name)
  return showSettings(await signInSettings.find(kind), kind, { entry, locale, ssoAddresses })
}

const getProvider = route({
  method: 'GET',
  path: '/auth/oauth/providers/:kind',
  summary: 'The settings of a way to sign in',
  guard,
  response: { 200: settingsRow },
  errors: ['NOT_FOUND'],
}).handle(({ params, locale }, cradle) => show(params.kind!, 'oauth', locale, cradle))

const changeProvider = route({
  method: 'PUT',
  path: '/auth/oauth/providers/:kind',
  summary: 'Change the settings of a way to sign in; what is left out stays',
  guard,
  body: settingChanges,
  response: { 200: settingsRow },
  errors: CHANGE_ERRORS,
  audit: 'sso.update',
}).handle(async ({ params, caller, body, locale }, { signInSettings, ssoAddresses }) => {
  const kind = signInSettings.kindOf(params.kind!)
  const stored = await signInSettings.change(caller, kind, body)
  return showSettings(stored, kind, { entry: 'oauth', locale, ssoAddresses })
})

const testProvider = route({
  method: 'POST',
  path: '/auth/oauth/providers/:kind/test',
  summary: 'Find out whether the stored settings are right, as far as that can be without a person',
  guard,
  response: { 200: testResult },
  errors: ['NOT_FOUND'],
  audit: false,
}).handle(({ params, locale, signal }, cradle) =>
  testSettings(cradle.signInSettings.kindOf(params.kind!), cradle, { locale, signal }),
)

const previewRules = route({
  method: 'POST',
  path: '/auth/oauth/providers/:kind/preview',
  summary: 'What a new account with these claims would be given by these rules, or by the stored ones',
  guard,
  body: previewBody,
  response: { 200: preview },
  errors: ['NOT_FOUND'],
  audit: false,
}).handle(async ({ params, body }, { signInSettings, registries }) => {
  const stored = await signInSettings.find(signInSettings.kindOf(params.kind!))
  const rules = body.rules ?? stored.rules
  const { role, permissions, matched } = judge(rules, body.claims, { role: 'user', permissions: [] })
  const isKnown = (key: string) => registries.permissions.get(key) !== undefined
  const unknown_permissions = givenBy(rules).permissions.filter((key) => !isKnown(key))
  return { role, permissions: permissions.filter(isKnown), matched, unknown_permissions }
})

const getOidc = route({
  method: 'GET',
  path: '/auth/oidc/config',
  summary: 'The settings of OpenID Connect',
  guard,
  response: { 200: settingsRow },
}).handle(({ locale }, cradle) => show('oidc', 'oidc', locale, cradle))

const changeOidc = route({
  method: 'PUT',
  path: '/auth/oidc/config',
  summary: 'Change the settings of OpenID Connect; what is left out stays',
  guard,
  body: settingChanges,
  response: { 200: settingsRow },
  errors: CHANGE_ERRORS.slice(1),
  audit: { action: 'sso.update', target: 'kind' },
}).handle(async ({ caller, body, locale }, { signInSettings, ssoAddresses }) => {
  const kind = signInSettings.kindOf('oidc')
  const stored = await signInSettings.change(caller, kind, body)
  return showSettings(stored, kind, { entry: 'oidc', locale, ssoAddresses })
})

const testOidc = route({
  method: 'POST',
  path: '/auth/oidc/config/test',
  summary: 'Find out whether the stored settings of OpenID Connect are right',
  guard,
  response: { 200: testResult },
  audit: false,
}).handle(({ locale, signal }, cradle) =>
  testSettings(cradle.signInSettings.kindOf('oidc'), cradle, { locale, signal }),
)

/** The settings, for those who may manage single sign-on. */
export const settingsRoutes: Route[] = [
  getProvider,
  changeProvider,
  testProvider,
  previewRules,
  getOidc,
  changeOidc,
  testOidc,
]
