import { AppError, isDuplicateKey } from '#kernel'
import type { Grants } from '../accounts/grants.ts'
import type { AuthCaller } from '../auth/types.ts'
import { givenBy } from './claim-rules.ts'
import type { SignInKinds } from './endpoints.ts'
import type { Cradle } from './manifest.ts'
import { assertSettings, type SettingChanges } from './settings-rules.ts'
import type { SignInKind } from './sign-in-kind.ts'
import type { SsoProviderDocument, SsoSettings } from './types.ts'

/** What the ways to sign in are set to. */
export type SignInSettings = ReturnType<typeof createSettings>

const purposeOf = (kind: string) => `sso:${kind}`

/** Makes the store of settings. */
export function createSettings({
  collections: { sso_providers },
  secrets,
  clock,
  permissionCatalog,
  signInKinds,
  grants,
}: { signInKinds: SignInKinds; grants: Grants } & Pick<
  Cradle,
  'collections' | 'secrets' | 'clock' | 'permissionCatalog'
>) {
  const defaultsOf = ({ kind, default_scopes }: SignInKind): SsoProviderDocument => ({
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
      .map((kind) => [kind, stored.find(({ _id }) => _id === kind.kind) ?? defaultsOf(kind)])
  }

  const find = async (kind: SignInKind): Promise<SsoProviderDocument> =>
    (await sso_providers.findOne({ _id: kind.kind })) ?? defaultsOf(kind)

  /** Throws GRANT_EXCEEDS for rules that give what the caller does not have. */
  const assertGrantable = (caller: AuthCaller, old: SsoProviderDocument, wanted: SsoProviderDocument) => {
    const { role, permissions } = givenBy(wanted.rules)
    const { dashboard_origin } = wanted
    // Whoever reads there what people are sent on with can be any of them.
    if (dashboard_origin !== null && dashboard_origin !== old.dashboard_origin)
      grants.assertGrantable(caller, { role: 'admin' })
    // One that no plugin declares any more is nothing that anybody could have.
    const known = permissions.filter((key) => permissionCatalog.get(key))
    grants.assertGrantable(caller, { role, permissions: known })
  }

  /** Writes what others have not changed meanwhile; null where they have. */
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
    /** The kind of this name; throws NOT_FOUND. */
    kindOf(name: string): SignInKind {
      const kind = signInKinds.get(name)
      if (!kind) throw new AppError('NOT_FOUND')
      return kind
    },

    find,
    findAll,

    /** What a kind needs and has not got. */
    missing: missingIn,

    /** Whether people may sign in with these. */
    isUsable: (stored: SsoProviderDocument, kind: SignInKind): boolean =>
      stored.enabled && missingIn(stored, kind).length === 0,

    /** The settings as a kind wants them. */
    open: ({ _id, client_secret, display_name, ...stored }: SsoProviderDocument): SsoSettings => ({
      ...stored,
      kind: _id,
      display_name: display_name ?? '',
      client_secret: client_secret === null ? '' : secrets.open(client_secret, purposeOf(_id)),
    }),

    /**
     * Changes what is given and keeps the rest. Throws VALIDATION_FAILED, ADDRESS_NOT_ALLOWED, and GRANT_EXCEEDS for any
     * change of settings whose rules give what the caller does not have: who changes the issuer decides on the claims. Another
     * origin of the console is for administrators to set.
     */
    async change(
      caller: AuthCaller,
      kind: SignInKind,
      changes: SettingChanges,
    ): Promise<SsoProviderDocument> {
      await assertSettings(changes, { kind, permissionCatalog, signInKinds })
      const { client_secret, ...given } = changes
      const set: Partial<SsoProviderDocument> = {
        ...(given as Partial<SsoProviderDocument>),
        ...(client_secret !== undefined && {
          client_secret: client_secret && secrets.seal(client_secret, purposeOf(kind.kind)),
        }),
        updated_at: clock.seconds(),
      }
      // Repeated where somebody else's change came in between, because both together must be in order.
      for (;;) {
        const old = await find(kind)
        const wanted = { ...old, ...set }
        assertGrantable(caller, old, wanted)
        if (wanted.enabled) assertComplete(wanted, kind)
        const written = await write(old, set)
        if (written) return written
      }
    },
  }
}

const missingIn = (stored: SsoProviderDocument, { required }: SignInKind): string[] =>
  required.filter((name) => !stored[name as keyof SsoProviderDocument])

/** Throws VALIDATION_FAILED, naming what is missing. */
function assertComplete(stored: SsoProviderDocument, kind: SignInKind): void {
  const issues = missingIn(stored, kind).map((name) => ({
    path: `/${name}`,
    rule: 'required',
    message: 'is needed before this way to sign in can be switched on',
  }))
  if (issues.length > 0) throw new AppError('VALIDATION_FAILED', { issues })
}
