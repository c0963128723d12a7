import type { Locale, TypeOf } from '#plugin-api'
import type { SsoAddresses } from './addresses.ts'
import { listGrants } from './claim-rules.ts'
import type { EntryPoint } from './errors.ts'
import type { Cradle } from './manifest.ts'
import type { settingsRow } from './schemas.ts'
import type { SignInSettings, SsoProviderDocument } from './settings.ts'
import type { KindName, SignInKind } from './sign-in-kind.ts'

/** Returns the name of a way to sign in that users see. */
export const getDisplayName = (
  { display_name }: SsoProviderDocument,
  { label }: SignInKind,
  locale: Locale,
): string => display_name ?? label[locale]

/** Lists every way to sign in for people who have not signed in yet. */
export async function listStatus(
  { signInSettings, server }: { signInSettings: SignInSettings } & Pick<Cradle, 'server'>,
  locale: Locale,
): Promise<{ kind: KindName; display_name: string; enabled: boolean }[]> {
  const settings = await signInSettings.findAll()
  return settings.map(([kind, stored]) => ({
    kind: kind.kind as KindName,
    display_name: getDisplayName(stored, kind, locale),
    enabled: server.public_url !== undefined && signInSettings.isUsable(stored, kind),
  }))
}

/** Returns the settings as their managers see them, without the secret; `entry` is the entry point of the request. */
export async function toSettingsRow(
  stored: SsoProviderDocument,
  kind: SignInKind,
  {
    entry,
    locale,
    ssoAddresses,
    groupGrants,
  }: { entry: EntryPoint; locale: Locale; ssoAddresses: SsoAddresses } & Pick<Cradle, 'groupGrants'>,
): Promise<TypeOf<typeof settingsRow>> {
  const { _id, client_secret, secret_place, revision, updated_at, ...shown } = stored
  const groups = await groupGrants.findNamed(listGrants(stored.rules).groups)
  return {
    ...shown,
    rules: stored.rules.map((rule) => ({
      ...rule,
      ...(rule.groups && { groups: rule.groups.map((id) => groups.get(id)?.name ?? id) }),
    })),
    kind: kind.kind as KindName,
    display_name: getDisplayName(stored, kind, locale),
    has_client_secret: client_secret !== null,
    redirect_uri: ssoAddresses.redirectUri(entry),
    updated_at: revision > 0 ? updated_at : null,
  }
}
