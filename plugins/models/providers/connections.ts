import { type ProviderConnection, requestStream, type Secrets } from '#plugin-api'
import { createProviderKinds, type KnownKind } from './kinds.ts'
import type { Cradle } from './manifest.ts'
import type { ProviderDocument } from './types.ts'

/** A stored provider, opened: its kind, its connection, and the function that removes its secrets from a text. */
export interface Connected {
  kind: KnownKind
  connection: ProviderConnection
  redact(text: string): string
}

/** Opens the connections of stored providers. */
export type ProviderConnections = ReturnType<typeof createProviderConnections>

/** Creates the service. The addresses of providers that an administrator entered are not checked. */
export function createProviderConnections({ extensions, secrets, guardedFetch }: Cradle) {
  const { get: findKind } = createProviderKinds({ extensions })
  return {
    /** Returns a provider kind; throws PROVIDER_KIND_UNSUPPORTED if it is not installed. */
    findKind,
    connect(provider: ProviderDocument): Connected {
      const { _id, base_url, scope, is_trusted = scope === 'global' } = provider
      const kind = findKind(provider.kind)
      const api_key =
        provider.api_key === null ? undefined : secrets.open(provider.api_key, `provider:${_id}`)
      const sealed = openSecretOptions(provider, secrets)
      return {
        kind,
        connection: {
          base_url: (base_url ?? kind.default_base_url)?.replace(/\/+$/, ''),
          api_key,
          options: { ...provider.options, ...sealed },
          fetch: is_trusted ? globalThis.fetch : guardedFetch.fetch,
          request: is_trusted ? requestStream : guardedFetch.request,
        },
        redact: createRedaction([api_key, sealed]),
      }
    },
  }
}

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

/** Text in the form of a vendor's key or credential. */
const KEY_LIKE = /\b(?:sk|pk|rk|gsk|xai|key|AIza|AKIA|ASIA)[-_]?[\w*.-]{12,}|\bBearer\s+\S+/g

/** Shorter secrets would match unrelated text. */
const MIN_SECRET_CHARS = 6

/** Creates the function that removes from a text all strings in `values`, at any depth, and everything like a key. */
function createRedaction(values: readonly unknown[]): (text: string) => string {
  const secrets = values.flatMap(listStrings).filter(({ length }) => length >= MIN_SECRET_CHARS)
  return (text) =>
    secrets.reduce((cut, secret) => cut.replaceAll(secret, '[key]'), text).replace(KEY_LIKE, '[key]')
}

const listStrings = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listStrings) : []
}
