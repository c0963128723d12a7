import {
  type Locale,
  type LocalizedText,
  makeTag,
  type Route,
  replyWithTag,
  type TypeOf,
  withDeadline,
} from '#plugin-api'
import { applyRules, listGrants } from './claim-rules.ts'
import type { EntryPoint } from './errors.ts'
import type { SignInKinds } from './kinds/registry.ts'
import { type Cradle, route } from './manifest.ts'
import { kindParams, preview, previewBody, settingChanges, settingsRow, testResult } from './schemas.ts'
import { type SignInSettings, settingsFields, toStoredRules } from './settings.ts'
import { toSettingsRow } from './settings-rows.ts'
import { SignInFailure, type SignInKind } from './sign-in-kind.ts'

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
    description:
      'Returns the settings with their defaults, also before anything was stored. The client secret is never shown; `has_client_secret` tells whether there is one. Register `redirect_uri` with the service.',
    ...(entry === 'oauth' && { params: kindParams }),
    guard,
    response: { 200: settingsRow },
    errors: ['NOT_FOUND'],
    etag: true,
  }).handle(async ({ params, locale }, { signInSettings, ssoAddresses, groupGrants }) => {
    const kind = signInSettings.getKind(readKind(params))
    const stored = await signInSettings.find(kind)
    const row = await toSettingsRow(stored, kind, { entry, locale, ssoAddresses, groupGrants })
    return replyWithTag(200, row, makeTag(stored, settingsFields))
  }),

  route({
    method: 'PUT',
    path,
    operation_id: `set${settings}`,
    summary: 'Change the settings of a way to sign in',
    description:
      'Changes the given fields; those that are left out keep their values. Sign-ins that have begun before the change fail and must begin again. Callers grant only permissions that they have themselves, also by rules. Another origin in `issuer` needs the client secret again.',
    ...(entry === 'oauth' && { params: kindParams }),
    guard,
    body: settingChanges,
    response: { 200: settingsRow },
    errors: ['NOT_FOUND', 'ADDRESS_NOT_ALLOWED', 'GRANT_EXCEEDS'],
    audit: { action: 'sso.update', target: 'kind' },
    etag: true,
  }).handle(async (request, { signInSettings, ssoAddresses, groupGrants }) => {
    const { params, caller, body, locale } = request
    const kind = signInSettings.getKind(readKind(params))
    const stored = await signInSettings.change(caller, kind, body, request)
    const row = await toSettingsRow(stored, kind, { entry, locale, ssoAddresses, groupGrants })
    return replyWithTag(200, row, makeTag(stored, settingsFields))
  }),

  route({
    method: 'POST',
    path: `${path}/test`,
    operation_id: `test${settings}`,
    summary: 'Test the settings of a way to sign in',
    description:
      'Checks the stored settings as far as that is possible without a person who signs in. A failed test is answered with 200 and `ok: false`; `detail` says what is wrong.',
    ...(entry === 'oauth' && { params: kindParams }),
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
  summary: 'Preview what rules grant',
  description:
    'Applies the rules of the body, or without them the stored ones, to the claims of a person, and returns what a new account would be granted. Nothing is stored.',
  params: kindParams,
  guard,
  body: previewBody,
  response: { 200: preview },
  errors: ['NOT_FOUND'],
  audit: { none: 'It calculates and stores nothing.' },
}).handle(async ({ params, body }, { signInSettings, permissionCatalog, groupGrants }) => {
  const stored = await signInSettings.find(signInSettings.getKind(params.kind))
  const named = body.rules ?? stored.rules
  const groupsByName = await groupGrants.findNamed(listGrants(named).groups)
  const rules = toStoredRules(named, groupsByName)
  const nobody = { role: 'user', permissions: [], groups: [] } as const
  const { role, permissions, groups, matched, undecided } = applyRules(rules, body.claims, nobody)
  const isKnown = (key: string) => permissionCatalog.get(key) !== undefined
  const joined = [...new Set(groupsByName.values())].filter(({ _id }) => groups.includes(_id))
  return {
    role,
    permissions: permissions.filter(isKnown),
    groups: joined.map(({ _id: id, name }) => ({ id, name })),
    matched,
    undecided,
    unknown_permissions: listGrants(rules).permissions.filter((key) => !isKnown(key)),
    unknown_groups: listGrants(named).groups.filter((name) => !groupsByName.has(name)),
  }
})

/** The routes of the settings, for accounts with the permission `sso`. */
export const settingsRoutes: Route<Cradle>[] = [
  ...defineSettingsRoutes('oauth', '/auth/oauth/providers/:kind', 'SignInSettings', ({ kind }) => kind!),
  ...defineSettingsRoutes('oidc', '/auth/oidc/config', 'OidcSettings', () => 'oidc'),
  previewRules,
]

const TIMEOUT_MS = 15_000

const MISSING: LocalizedText = { en: 'Still missing: ', zh: '尚缺少：' }
const RIGHT: LocalizedText = {
  en: 'The service accepts the client ID and secret. The redirect URL and the scopes are checked when someone signs in.',
  zh: '服务接受了客户端 ID 和密钥。回调地址和权限范围将在用户登录时验证。',
}
const DISCOVERED: LocalizedText = {
  en: 'The issuer was found, publishes signing keys and did not reject the client. The redirect URL and the scopes are checked when someone signs in.',
  zh: '已找到签发者，其公布了签名密钥，且未拒绝该客户端。回调地址和权限范围将在用户登录时验证。',
}

/** The result of a test of settings; `detail` explains it to a person. */
type SettingsTest = TypeOf<typeof testResult>

/** Tests what can be tested of the stored settings of a kind without a user. */
async function testSettings(
  kind: SignInKind,
  { signInSettings, signInKinds }: { signInSettings: SignInSettings; signInKinds: SignInKinds },
  { locale, signal }: { locale: Locale; signal: AbortSignal },
): Promise<SettingsTest> {
  const stored = await signInSettings.find(kind)
  const missing = signInSettings.listMissing(stored, kind)
  if (missing.length > 0)
    return { ok: false, reason: 'misconfigured', detail: MISSING[locale] + missing.join(', ') }
  const settings = signInSettings.open(stored)
  try {
    await withDeadline(TIMEOUT_MS, [signal, signInKinds.signal], (signal) => kind.test(settings, signal))
    return { ok: true, detail: (kind.kind === 'oidc' ? DISCOVERED : RIGHT)[locale] }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof SignInFailure) return { ok: false, reason: error.reason, detail: error.message }
    throw error
  }
}
