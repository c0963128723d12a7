import {
  AppError,
  type Conditional,
  type Issue,
  isDuplicateKey,
  placeOf,
  requireUnchanged,
  secretsElsewhere,
  type TypeOf,
} from '#plugin-api'
import type { Grants } from '../accounts/grants.ts'
import type { GroupGrants } from '../accounts/group-grants.ts'
import type { AuthCaller } from '../auth/types.ts'
import type { GroupRights } from '../users/types.ts'
import { type ClaimRule, listGrants } from './claim-rules.ts'
import type { SignInKinds } from './kinds/registry.ts'
import type { Cradle } from './manifest.ts'
import type { settingChanges } from './schemas.ts'
import type { SignInKind, SsoSettings } from './sign-in-kind.ts'

/** The settings as they are stored; `_id` is the kind. */
export interface SsoProviderDocument extends Omit<SsoSettings, 'kind' | 'display_name' | 'client_secret'> {
  _id: string
  /** Null to show the kind's own name in the reader's language. */
  display_name: string | null
  /** Encrypted for the purpose `sso:<_id>`; null if there is none. */
  client_secret: string | null
  /** The origin of the issuer that may receive the secret; empty until there was an issuer. */
  secret_place?: string
  /** Increases with every change. */
  revision: number
  /** Unix seconds. */
  updated_at: number
  rules: ClaimRule[]
}

/** Changes of settings; fields that are left out keep their values. */
type SettingChanges = TypeOf<typeof settingChanges>

/** The store of the settings of each kind of sign-in. */
export type SignInSettings = ReturnType<typeof createSettings>

/** The fields that the entity tag of settings is made from. */
export const settingsFields = ['revision'] as const

const getPurpose = (kind: string) => `sso:${kind}`

/** Creates the store of settings. */
export function createSettings({
  collections: { sso_providers },
  secrets,
  clock,
  permissionCatalog,
  signInKinds,
  grants,
  groupGrants,
}: { signInKinds: SignInKinds; grants: Grants; groupGrants: GroupGrants } & Pick<
  Cradle,
  'collections' | 'secrets' | 'clock' | 'permissionCatalog'
>) {
  const makeDefaults = ({ kind, default_scopes }: SignInKind): SsoProviderDocument => ({
    _id: kind,
    enabled: false,
    display_name: null,
    issuer: null,
    client_id: '',
    client_secret: null,
    agent_id: null,
    scopes: default_scopes,
    dashboard_origin: null,
    rules: [],
    revision: 0,
    updated_at: 0,
  })

  const findAll = async (): Promise<[SignInKind, SsoProviderDocument][]> => {
    const stored = await sso_providers.find().toArray()
    return signInKinds
      .list()
      .map((kind) => [kind, stored.find(({ _id }) => _id === kind.kind) ?? makeDefaults(kind)])
  }

  const find = async (kind: SignInKind): Promise<SsoProviderDocument> =>
    (await sso_providers.findOne({ _id: kind.kind })) ?? makeDefaults(kind)

  /** Throws GRANT_EXCEEDS for rules that grant rights that the caller lacks. */
  const assertGrantable = async (
    caller: AuthCaller,
    old: SsoProviderDocument,
    changedSettings: SsoProviderDocument,
  ): Promise<void> => {
    const { role, permissions, groups } = listGrants(changedSettings.rules)
    const { dashboard_origin } = changedSettings
    // The console at that origin receives the sign-in codes of everybody.
    if (dashboard_origin !== null && dashboard_origin !== old.dashboard_origin)
      grants.assertGrantable(caller, { role: 'admin' })
    // A permission that no plugin declares any more grants nothing.
    const declaredPermissions = permissions.filter((key) => permissionCatalog.get(key))
    grants.assertGrantable(caller, { role, permissions: declaredPermissions })
    groupGrants.assertGrantable(caller, (await groupGrants.findNamed(groups)).values())
  }

  /** Writes the settings; null if somebody else has changed them meanwhile. */
  const write = async (
    old: SsoProviderDocument,
    set: Partial<SsoProviderDocument>,
  ): Promise<SsoProviderDocument | null> => {
    if (old.revision > 0)
      return sso_providers.findOneAndUpdate(
        { _id: old._id, revision: old.revision },
        { $set: set, $inc: { revision: 1 } },
        { returnDocument: 'after' },
      )
    const first = { ...old, ...set, revision: 1 }
    try {
      await sso_providers.insertOne(first)
      return first
    } catch (error) {
      if (isDuplicateKey(error)) return null
      throw error
    }
  }

  return {
    /** Returns the kind with this name. Throws NOT_FOUND. */
    getKind: signInKinds.get,

    find,
    findAll,

    /** Lists the required settings that are missing. */
    listMissing,

    /** True if users can sign in with these settings. */
    isUsable: (stored: SsoProviderDocument, kind: SignInKind): boolean =>
      stored.enabled && listMissing(stored, kind).length === 0,

    /** Returns the settings with the secret decrypted, as kinds need them. */
    open: ({ _id, client_secret, display_name, rules: _, ...stored }: SsoProviderDocument): SsoSettings => ({
      ...stored,
      kind: _id,
      display_name: display_name ?? '',
      client_secret: client_secret === null ? '' : secrets.open(client_secret, getPurpose(_id)),
    }),

    /**
     * Changes settings. Throws VALIDATION_FAILED, ADDRESS_NOT_ALLOWED, and GRANT_EXCEEDS for any change of settings
     * whose rules grant rights that the caller lacks, because the issuer decides on the claims. Only
     * administrators can set another origin of the console, and another origin of the issuer needs the secret again.
     * PRECONDITION_FAILED if the request names another version.
     */
    async change(
      caller: AuthCaller,
      kind: SignInKind,
      changes: SettingChanges,
      request: Conditional,
    ): Promise<SsoProviderDocument> {
      const groups = await groupGrants.findNamed(listGrants(changes.rules ?? []).groups)
      await assertSettings(changes, { kind, permissionCatalog, signInKinds, groups })
      const { client_secret, rules, ...otherChanges } = changes
      const set: Partial<SsoProviderDocument> = {
        ...(otherChanges as Partial<SsoProviderDocument>),
        ...(rules && { rules: toStoredRules(rules, groups) }),
        ...(client_secret !== undefined && {
          client_secret: client_secret && secrets.seal(client_secret, getPurpose(kind.kind)),
        }),
        updated_at: clock.seconds(),
      }
      // Repeated after a concurrent change, because the two changes together must be valid.
      for (;;) {
        const old = await find(kind)
        requireUnchanged(request, old, settingsFields)
        const { issuer } = { ...old, ...set }
        const oldPlace = client_secret === undefined ? (old.secret_place ?? toPlace(old.issuer)) : ''
        const secret_place = oldPlace || toPlace(issuer)
        const changedSettings = { ...old, ...set, secret_place }
        await assertGrantable(caller, old, changedSettings)
        assertSecretStays(changedSettings)
        if (changedSettings.enabled) assertComplete(changedSettings, kind)
        const written = await write(old, { ...set, secret_place })
        if (written) return written
      }
    },
  }
}

/** Returns rules with the ids of the groups that they name, without those that do not exist. */
export const toStoredRules = (
  rules: readonly ClaimRule[],
  groups: ReadonlyMap<string, GroupRights>,
): ClaimRule[] =>
  rules.map(({ groups: names, ...rule }) => {
    const ids = names?.flatMap((name) => groups.get(name)?._id ?? [])
    return { ...rule, ...(ids && { groups: [...new Set(ids)] }) }
  })

const toPlace = (issuer: string | null) => String(placeOf(issuer ?? ''))

/** Throws VALIDATION_FAILED if the issuer would receive a secret that was entered for another one. */
function assertSecretStays({ client_secret, issuer, secret_place }: SsoProviderDocument): void {
  if (client_secret !== null && issuer !== null && secret_place !== toPlace(issuer))
    throw secretsElsewhere(['/client_secret'])
}

const listMissing = (stored: SsoProviderDocument, { required }: SignInKind): string[] =>
  required.filter((name) => !stored[name as keyof SsoProviderDocument])

/** Throws VALIDATION_FAILED with the missing settings. */
function assertComplete(stored: SsoProviderDocument, kind: SignInKind): void {
  const issues = listMissing(stored, kind).map((name) => ({
    path: `/${name}`,
    rule: 'required',
    message: 'is required before this way to sign in can be enabled',
  }))
  if (issues.length > 0) throw new AppError('VALIDATION_FAILED', { issues })
}

/** Settings that only those kinds have which require them. */
const OWN_SETTINGS = ['issuer', 'agent_id'] as const

/** Throws VALIDATION_FAILED for invalid settings, ADDRESS_NOT_ALLOWED for an issuer that must not be connected to. */
async function assertSettings(
  changes: SettingChanges,
  {
    kind,
    permissionCatalog,
    signInKinds,
    groups: knownGroups,
  }: {
    kind: SignInKind
    signInKinds: SignInKinds
    groups: ReadonlyMap<string, GroupRights>
  } & Pick<Cradle, 'permissionCatalog'>,
): Promise<void> {
  const { issuer, dashboard_origin, rules = [] } = changes
  const issues: Issue[] = []
  for (const name of OWN_SETTINGS)
    if (changes[name] && !kind.required.includes(name))
      issues.push({ path: `/${name}`, rule: 'kind', message: `is not a setting of ${kind.kind}` })
  if (issuer && !isIssuer(issuer, signInKinds))
    issues.push({ path: '/issuer', rule: 'issuer', message: 'must be an address that starts with https://' })
  if (dashboard_origin && !isOrigin(dashboard_origin))
    issues.push({ path: '/dashboard_origin', rule: 'origin', message: 'must be an origin without a path' })
  for (const [index, { permissions = [], groups = [] }] of rules.entries()) {
    for (const [position, name] of groups.entries())
      if (!knownGroups.has(name))
        issues.push({
          path: `/rules/${index}/groups/${position}`,
          rule: 'group',
          message: 'is not a known group',
        })
    for (const [position, key] of permissions.entries())
      if (!permissionCatalog.get(key))
        issues.push({
          path: `/rules/${index}/permissions/${position}`,
          rule: 'permission',
          message: 'is not a known permission',
        })
  }
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
