import { setMaxListeners } from 'node:events'
import { AppError, createGuardedFetch, createKinds, type GuardedFetch } from '#plugin-api'
import type { SignInEndpoints } from '../../auth/types.ts'
import type { Cradle } from '../manifest.ts'
import { KIND_NAMES, type KindName, type SignInKind } from '../sign-in-kind.ts'
import { createDingtalkKind, dingtalkEndpoints } from './dingtalk.ts'
import { createFeishuKind, feishuEndpoints } from './feishu.ts'
import { createOidcKind } from './oidc.ts'
import { createWecomKind, wecomEndpoints } from './wecom.ts'

/** The arguments of a kind's factory. */
interface KindParts {
  fetch: GuardedFetch['fetch']
  /** The kind's addresses by name, some of them replaced by the settings. */
  endpoints: Readonly<Record<string, string>>
  /** True if the host may be reached without encryption. */
  isTrustedHost(hostname: string): boolean
  clock_skew_seconds: number
  /** Unix milliseconds. */
  now(): number
}

/** The factory and the default addresses of each kind. */
const KINDS: Readonly<
  Record<KindName, { create(parts: KindParts): SignInKind; endpoints: Readonly<Record<string, string>> }>
> = {
  oidc: { create: createOidcKind, endpoints: {} },
  feishu: { create: createFeishuKind, endpoints: feishuEndpoints },
  dingtalk: { create: createDingtalkKind, endpoints: dingtalkEndpoints },
  wecom: { create: createWecomKind, endpoints: wecomEndpoints },
}

/** The kinds of sign-in, and the access to the network that they share. */
export type SignInKinds = ReturnType<typeof createSignInKinds>

/**
 * Creates the kinds. They can reach public addresses, `allow_hosts` and the hosts of `plugins.auth.endpoints`. Throws
 * if those settings contain an invalid address, or an address that no kind has.
 */
export function createSignInKinds({
  signInEndpoints,
  clock,
  config: { allow_hosts, clock_skew_seconds },
}: { signInEndpoints: SignInEndpoints } & Pick<Cradle, 'clock' | 'config'>) {
  assertEndpoints(signInEndpoints)
  const addresses = Object.values(signInEndpoints).flatMap((named) => Object.values(named))
  const allowHosts = [...allow_hosts, ...addresses.map((address) => new URL(address).hostname)]
  const guarded = createGuardedFetch({ allowHosts })
  const trusted = new Set(allow_hosts.map(normalizeHost))
  /** True if the host may be reached without encryption. */
  const isTrustedHost = (hostname: string) => trusted.has(normalizeHost(hostname))
  const stopping = new AbortController()
  const signal: AbortSignal = stopping.signal
  // Every sign-in in progress listens to it.
  setMaxListeners(Number.POSITIVE_INFINITY, signal)
  const kinds = KIND_NAMES.map((name) => {
    const { create, endpoints } = KINDS[name]
    const parts = { fetch: guarded.fetch, isTrustedHost, clock_skew_seconds, now: () => clock.now() }
    return create({ ...parts, endpoints: { ...endpoints, ...signInEndpoints[name] } })
  })
  return {
    ...createKinds(
      { get: (name) => kinds.find(({ kind }) => kind === name), list: () => kinds },
      { unsupported: () => new AppError('NOT_FOUND'), complete: (kind) => kind },
    ),
    isTrustedHost,
    assertAllowed: guarded.assertAllowed,
    /** Aborted when the server stops. */
    signal,
    async close(): Promise<void> {
      stopping.abort()
      await guarded.close()
    },
  }
}

const normalizeHost = (hostname: string) => hostname.replace(/^\[|\]$/g, '').toLowerCase()

function assertEndpoints(settings: SignInEndpoints): void {
  for (const [kind, named] of Object.entries(settings)) {
    if (!Object.hasOwn(KINDS, kind))
      throw new Error(`plugins.auth.endpoints.${kind} is not a known kind; known: ${KIND_NAMES.join(', ')}`)
    const names = Object.keys(KINDS[kind as KindName].endpoints)
    for (const [name, address] of Object.entries(named)) {
      const key = `plugins.auth.endpoints.${kind}.${name}`
      if (!URL.canParse(address)) throw new Error(`${key} is not a valid address: ${address}`)
      if (!names.includes(name))
        throw new Error(`${key} is not a known address; the kind has: ${names.join(', ') || 'none'}`)
    }
  }
}
