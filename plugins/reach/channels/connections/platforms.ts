import {
  type ChannelKind,
  type ChannelSettings,
  ConfigError,
  createGuardedFetch,
  type Extensions,
  type GuardedFetch,
  type Logger,
} from '#plugin-api'

/** Addresses of platforms from the server's settings, by kind and name. */
type EndpointSettings = Readonly<Record<string, Readonly<Record<string, string>>>>

/** Reaches platforms through guarded fetches. */
export type Platforms = ReturnType<typeof createPlatforms>

/**
 * Creates the guarded fetches, which reach public addresses, the hosts of the endpoints and `allow_hosts`. Throws if
 * the settings name an endpoint that the kind does not have.
 */
export function createPlatforms({
  endpoints,
  allow_hosts,
  kinds,
  log,
}: {
  endpoints: EndpointSettings
  allow_hosts: readonly string[]
  kinds: Extensions<ChannelKind>
  log: Logger
}) {
  for (const [kind, addresses] of Object.entries(endpoints)) {
    const installedKind = kinds.get(kind)
    // The settings of a kind that is not installed must not stop the other kinds.
    if (!installedKind) log.warn({ kind }, 'addresses are set for a channel kind that does not exist')
    else assertKnown(installedKind, Object.keys(addresses))
  }
  const fetches = new Map<string, GuardedFetch>()

  const guardFor = (kind: string, addresses: Readonly<Record<string, string>>) => {
    const existingFetch = fetches.get(kind)
    if (existingFetch) return existingFetch
    const own = Object.values(addresses).map((address) => new URL(address).hostname)
    const newFetch = createGuardedFetch({ allowHosts: [...allow_hosts, ...own] })
    fetches.set(kind, newFetch)
    return newFetch
  }

  return {
    /** Returns the channel settings of a kind, without a config. */
    reach({ kind, endpoints: declared = {} }: ChannelKind): Omit<ChannelSettings, 'config'> {
      const replaced = Object.entries(endpoints[kind] ?? {}).map(([name, url]) => [
        name,
        url.replace(/\/+$/, ''),
      ])
      const addresses = { ...declared, ...Object.fromEntries(replaced) }
      const { fetch, assertAllowed, lookup } = guardFor(kind, addresses)
      return { endpoints: addresses, fetch, assertAllowed, lookup }
    },
    async close(): Promise<void> {
      await Promise.all([...fetches.values()].map((fetch) => fetch.close()))
    },
  }
}

function assertKnown({ kind, endpoints = {} }: ChannelKind, names: readonly string[]): void {
  const addressNames = Object.keys(endpoints)
  for (const name of names)
    if (!addressNames.includes(name))
      throw new ConfigError(
        `plugins.channels.endpoints.${kind}.${name} is not known; the kind has: ${addressNames.join(', ') || 'no addresses'}`,
      )
}
