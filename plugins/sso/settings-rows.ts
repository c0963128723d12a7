import type { Locale, TypeOf } from '#kernel'
import type { SsoAddresses } from './addresses.ts'
import type { KindName } from './kinds/index.ts'
import type { Cradle } from './manifest.ts'
import type { settingsRow } from './schemas.ts'
import type { SignInSettings } from './settings.ts'
import type { SignInKind } from './sign-in-kind.ts'
import type { EntryName, SsoProviderDocument } from './types.ts'

/** What a way to sign in is called. */
export const nameOf = (
  { display_name }: SsoProviderDocument,
  { label }: SignInKind,
  locale: Locale,
): string => display_name ?? label[locale]

/** Every way to sign in, for those who have not done so yet. */
export async function statusOf(
  { signInSettings, server }: { signInSettings: SignInSettings } & Pick<Cradle, 'server'>,
  locale: Locale,
): Promise<{ kind: KindName; display_name: string; enabled: boolean }[]> {
  const known = await signInSettings.findAll()
  return known.map(([kind, stored]) => ({
    kind: kind.kind as KindName,
    display_name: nameOf(stored, kind, locale),
    enabled: server.public_url !== undefined && signInSettings.isUsable(stored, kind),
  }))
}

/** The settings for those who manage them, without the secret; `entry` is the name under which they were asked for. */
export function showSettings(
  stored: SsoProviderDocument,
  kind: SignInKind,
  { entry, locale, ssoAddresses }: { entry: EntryName; locale: Locale; ssoAddresses: SsoAddresses },
): TypeOf<typeof settingsRow> {
  const { _id, client_secret, revision, updated_at, ...shown } = stored
  return {
    ...shown,
    kind: kind.kind as KindName,
    display_name: nameOf(stored, kind, locale),
    has_client_secret: client_secret !== null,
    redirect_uri: ssoAddresses.redirectUri(entry),
    updated_at: revision > 0 ? updated_at : null,
  }
}
