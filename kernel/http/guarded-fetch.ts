import { lookup as systemLookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net'
import { promisify } from 'node:util'
import { AppError } from '../errors.ts'
import { createStreamingRequest } from './streaming-request.ts'

// Time for one of the addresses of a name before the next is tried, in milliseconds, for all sockets of the process.
// Node's own 250 ms are less than a round trip to the other side of the world: with a second address that is unreachable,
// such a host is never reached.
setDefaultAutoSelectFamilyAttemptTimeout(1500)

/** The most bytes of one response. */
export const MAX_RESPONSE = 64 * 1024 * 1024

/** Networks of a machine, a site, a carrier or documentation, and their forms in IPv6, after the IANA registries. */
const forbidden = new BlockList()
for (const network of [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16',
  '192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32',
  '::/96 ::ffff:0:0:0/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16',
  'fc00::/7 fe80::/10 fec0::/10 ff00::/8',
].flatMap((line) => line.split(' '))) {
  const [address, bits] = network.split('/') as [string, string]
  forbidden.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** The IPv4 network as networks without IPv4 see it: their name servers translate addresses to this prefix (RFC 6052). */
const translated = new BlockList()
translated.addSubnet('64:ff9b::', 96, 'ipv6')

function isForbidden(address: string): boolean {
  if (isIP(address) !== 6) return forbidden.check(address, 'ipv4')
  return translated.check(address, 'ipv6')
    ? forbidden.check(readTranslated(address), 'ipv4')
    : forbidden.check(address, 'ipv6')
}

/** Returns the IPv4 address in the last four bytes of a translated one. */
function readTranslated(address: string): string {
  const [, tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [high = 0, low = 0] = ['0', '0', ...tail.split(':')]
    .slice(-2)
    .map((group) => Number(`0x${group || 0}`))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

const withoutBrackets = (host: string) => host.replace(/^\[|\]$/g, '').toLowerCase()

/** A `fetch` that reaches no local or private network, for addresses that a user chose. */
export type GuardedFetch = ReturnType<typeof createGuardedFetch>

/** Makes the guarded fetch; hosts in `allowHosts` are reached wherever they lie. */
export function createGuardedFetch({
  allowHosts,
  lookup = systemLookup,
}: {
  allowHosts: readonly string[]
  lookup?: typeof systemLookup
}) {
  const allowed = new Set(allowHosts.map(withoutBrackets))
  const refusal = (host: string) => new AppError('ADDRESS_NOT_ALLOWED', { host })
  const mayReach = (host: string, address: string) => allowed.has(host) || !isForbidden(address)

  // The socket connects to what is looked up here, so a name cannot change its address after the check.
  const checkedLookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      if (!addresses.every(({ address }) => mayReach(hostname.toLowerCase(), address)))
        return callback(refusal(hostname), [])
      if (options.all) return callback(null, addresses)
      callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }

  // Imported with the first call, because it takes longer to load than all else in this file.
  async function load() {
    const { Agent, buildConnector, fetch } = await import('undici')
    const connector = buildConnector({ lookup: checkedLookup })
    const agent = new Agent({
      maxResponseSize: MAX_RESPONSE,
      connect(options, callback) {
        // A literal address is never looked up.
        const host = withoutBrackets(options.hostname)
        if (isIP(host) && !mayReach(host, host)) callback(refusal(host), null)
        else connector(options, callback)
      },
    })
    return { agent, fetch }
  }
  let loading: ReturnType<typeof load> | undefined
  const loadOnce = () => {
    loading ??= load()
    return loading
  }

  const guardedFetch = async (input: string | URL, init?: RequestInit) => {
    const { agent, fetch } = await loadOnce()
    try {
      return await fetch(input, { ...(init as object), dispatcher: agent })
    } catch (error) {
      const { cause } = error as Error
      throw cause instanceof AppError ? cause : error
    }
  }

  return {
    /** The same check for sockets that connect to a name; a literal address is never looked up. */
    lookup: checkedLookup,

    /** Checks the address that each connection goes to, redirects included; throws ADDRESS_NOT_ALLOWED. Ends responses without end. */
    fetch: guardedFetch as unknown as typeof globalThis.fetch,

    /** Does the same for answers that come in many small parts; follows no redirects. */
    request: createStreamingRequest(async () => (await loadOnce()).agent),

    /** Throws ADDRESS_NOT_ALLOWED if a URL's host is such an address now; a name that does not resolve passes. */
    async assertAllowed(url: string) {
      const host = withoutBrackets(new URL(url).hostname)
      const addresses = isIP(host)
        ? [{ address: host }]
        : await promisify(lookup)(host, { all: true }).catch(unknown)
      if (!addresses.every(({ address }) => mayReach(host, address))) throw refusal(host)
    },

    /** Closes every connection. */
    close: async (): Promise<void> => (await loading)?.agent.destroy(),
  }
}

/** A name without an address may receive one later, and is looked up again then. */
function unknown(error: NodeJS.ErrnoException): [] {
  if (error.syscall === 'getaddrinfo') return []
  throw error
}
