import type { Secrets } from '#kernel'
import type { KnownKind } from './kinds.ts'
import type { ProviderDocument } from './types.ts'

type Options = Record<string, unknown>
type StoredOptions = Pick<ProviderDocument, 'options' | 'secret_options'>

const toPurpose = (id: string) => `provider:${id}:options`

/** Opens the sealed options of a provider. */
export const openSecretOptions = ({ _id, secret_options }: Sealed, secrets: Secrets): Options =>
  secret_options === null ? {} : JSON.parse(secrets.open(secret_options, toPurpose(_id)))

type Sealed = StoredOptions & { _id: string }

/** Checks options against their kind's schema and seals those that the schema marks writeOnly. */
export function sealOptions(id: string, options: Options, kind: KnownKind, secrets: Secrets): StoredOptions {
  kind.assertOptions(options)
  const isSecret = ([name]: [string, unknown]) => kind.secret_fields.includes(name)
  const entries = Object.entries(options)
  const sealed = Object.fromEntries(entries.filter(isSecret))
  return {
    options: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secret_options:
      Object.keys(sealed).length > 0 ? secrets.seal(JSON.stringify(sealed), toPurpose(id)) : null,
  }
}

/** Returns new options of a provider, which replace the old ones; a missing secret stays, and null clears it. */
export function replaceOptions(provider: Sealed, options: Options, secrets: Secrets): Options {
  const old = openSecretOptions(provider, secrets)
  const merged = Object.entries({ ...old, ...options })
  return Object.fromEntries(merged.filter(([name, value]) => value !== null || !(name in old)))
}
