import type { ProviderConnection } from '#plugin-api'
import { requestStream } from '#toolbox'
import { createProviderKinds, type KnownKind } from './kinds.ts'
import type { Cradle } from './manifest.ts'
import { openSecretOptions } from './options.ts'
import { createRedaction } from './redaction.ts'
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
