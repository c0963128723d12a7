import { AppError, type Cradle, type ProviderConnection, type ProviderKind } from '#kernel'
import { openOptions } from './options.ts'
import type { ProviderDocument } from './types.ts'

/** How a stored provider is reached. */
export interface ProviderConnections {
  /** The kind of a provider; throws PROVIDER_KIND_UNSUPPORTED where it is no longer there. */
  kindOf(kind: string): ProviderKind
  connect(provider: ProviderDocument): ProviderConnection
}

/** Opens what is sealed; only a user's own provider has its addresses checked, an administrator's has not. */
export function createProviderConnections({
  registries,
  secrets,
  guardedFetch,
}: Cradle): ProviderConnections {
  const kindOf = (name: string) => {
    const kind = registries.provider_kinds.get(name)
    if (!kind) throw new AppError('PROVIDER_KIND_UNSUPPORTED', { kind: name })
    return kind
  }
  return {
    kindOf,
    connect(provider) {
      const { _id, base_url, api_key, scope } = provider
      return {
        base_url: base_url ?? kindOf(provider.kind).default_base_url,
        api_key: api_key === null ? undefined : secrets.open(api_key, `provider:${_id}`),
        options: openOptions(provider, secrets),
        fetch: scope === 'user' ? guardedFetch.fetch : globalThis.fetch,
      }
    },
  }
}
