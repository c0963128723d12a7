import { setMaxListeners } from 'node:events'
import { createGuardedFetch, type GuardedFetch } from '#kernel'
import type { SignInEndpoints } from '../auth/types.ts'
import { KIND_NAMES, KINDS, type KindName } from './kinds/index.ts'
import type { Cradle } from './manifest.ts'
import type { SignInKind } from './sign-in-kind.ts'

/** The ways to sign in, and how what they lead to is reached. */
export interface SignInKinds {
  /** In the order in which people are shown them. */
  list(): readonly SignInKind[]
  /** Nothing where there is no such kind. */
  get(name: string): SignInKind | undefined
  isTrustedHost(hostname: string): boolean
  assertAllowed: GuardedFetch['assertAllowed']
  /** Aborted when the server stops. */
  signal: AbortSignal
  close(): Promise<void>
}

/**
 * Makes the kinds. They reach public addresses, `allow_hosts` and the hosts of `plugins.auth.endpoints`; throws where those
 * settings name an address that is none, or that no kind has.
 */
export function createSignInKinds({
  signInEndpoints,
  clock,
  config: { allow_hosts },
}: { signInEndpoints: SignInEndpoints } & Pick<Cradle, 'clock' | 'config'>): SignInKinds {
  assertKnown(signInEndpoints)
  const addresses = Object.values(signInEndpoints).flatMap((named) => Object.values(named))
  const allowHosts = [...allow_hosts, ...addresses.map((address) => new URL(address).hostname)]
  const guarded = createGuardedFetch({ allowHosts })
  const trusted = new Set(allow_hosts.map(plainHost))
  const isTrustedHost = (hostname: string) => trusted.has(plainHost(hostname))
  const stopping = new AbortController()
  // Every sign-in that is under way listens to it.
  setMaxListeners(Number.POSITIVE_INFINITY, stopping.signal)
  const kinds = KIND_NAMES.map((name) => {
    const { create, endpoints } = KINDS[name]
    const parts = { fetch: guarded.fetch, isTrustedHost, now: () => clock.now() }
    return create({ ...parts, endpoints: { ...endpoints, ...signInEndpoints[name] } })
  })
  return {
    list: () => kinds,
    get: (name) => kinds.find(({ kind }) => kind === name),
    isTrustedHost,
    assertAllowed: guarded.assertAllowed,
    signal: stopping.signal,
    async close() {
      stopping.abort()
      await guarded.close()
    },
  }
}

const plainHost = (hostname: string) => hostname.replace(/^\[|\]$/g, '').toLowerCase()

function assertKnown(settings: SignInEndpoints): void {
  for (const [kind, named] of Object.entries(settings)) {
    if (!Object.hasOwn(KINDS, kind))
      throw new Error(`plugins.auth.endpoints.${kind} is not known; there are: ${KIND_NAMES.join(', ')}`)
    const known = Object.keys(KINDS[kind as KindName].endpoints)
    for (const [name, address] of Object.entries(named)) {
      const key = `plugins.auth.endpoints.${kind}.${name}`
      if (!URL.canParse(address)) throw new Error(`${key} is no address: ${address}`)
      if (!known.includes(name))
        throw new Error(`${key} is not known; the kind has: ${known.join(', ') || 'no addresses'}`)
    }
  }
}
