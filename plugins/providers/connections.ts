import { AppError } from '#kernel'
import type { ProviderConnection, ProviderKind } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import { openSecretOptions } from './options.ts'
import { createRedaction } from './redaction.ts'
import type { ProviderDocument } from './types.ts'

/** A stored provider, opened: its kind, how it is reached, and what cuts its secrets out of a text. */
export interface Connected {
  kind: ProviderKind
  connection: ProviderConnection
  redact(text: string): string
}

/** How a stored provider is reached. */
export interface ProviderConnections {
  /** The kind of a provider; throws PROVIDER_KIND_UNSUPPORTED where it is no longer there. */
  kindOf(kind: string): ProviderKind
  connect(provider: ProviderDocument): Connected
}

/** Opens what is sealed; the addresses of providers that an administrator entered are not checked. */
export function createProviderConnections({
  extensions,
  secrets,
  guardedFetch,
}: Cradle): ProviderConnections {
  const kindOf = (name: string) => {
    const kind = extensions['providers.kinds'].get(name)
    if (!kind) throw new AppError('PROVIDER_KIND_UNSUPPORTED', { kind: name })
    return kind
  }
  return {
    kindOf,
    connect(provider) {
      const { _id, base_url, scope, is_trusted = scope === 'global' } = provider
      const kind = kindOf(provider.kind)
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
        },
        redact: createRedaction([api_key, sealed]),
      }
    },
  }
}
