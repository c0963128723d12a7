import type { IncomingHttpHeaders } from 'node:http'
import { isIPv6 } from 'node:net'

/** The address itself for IPv4, the /64 for IPv6, all of which is usually one household's or one machine's. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped) return mapped[1]!
  if (!isIPv6(ip)) return ip
  const { hostname } = new URL(`http://[${ip.split('%')[0]}]`)
  const [head, tail = ''] = hostname.slice(1, -1).split('::') as [string, string?]
  const headGroups = head.split(':').filter(Boolean)
  const after = tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: 8 - headGroups.length - after.length }, () => '0')
  return `${[...headGroups, ...zeros, ...after].slice(0, 4).join(':')}::/64`
}

/** The settings that decide which origins are the server's own. */
interface OriginSettings {
  public_url?: string
  trust_proxy: boolean
}

/** The first of the values that proxies added to a header, if it may be trusted. */
const forwarded = (
  value: string | string[] | undefined,
  { trust_proxy }: OriginSettings,
): string | undefined => (trust_proxy ? value?.toString().split(',', 1)[0]?.trim() : undefined)

/**
 * True unless a browser sends the request for a page of another origin than this server's; origins in `cors_origins` are
 * other origins.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, settings: OriginSettings): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  // Pages cannot set this header, and browsers send it to secure addresses only.
  if (site !== undefined) return site === 'same-origin'
  if (origin === undefined) return true
  const hosts = [host, forwarded(headers['x-forwarded-host'], settings)].filter(Boolean)
  return [...hosts.flatMap(originsOf), ...publicOrigin(settings)].includes(origin)
}

/** True if the client sends the request over HTTPS, which a proxy has ended. */
export const isSecure = (headers: IncomingHttpHeaders, settings: OriginSettings): boolean =>
  publicOrigin(settings).some((origin) => origin.startsWith('https:')) ||
  forwarded(headers['x-forwarded-proto'], settings) === 'https'

const originsOf = (host: string | undefined) => [`http://${host}`, `https://${host}`]

const publicOrigin = ({ public_url }: Pick<OriginSettings, 'public_url'>): string[] =>
  public_url === undefined ? [] : [new URL(public_url).origin]

/**
 * True unless a browser sends the request for a page whose origin is neither this server's nor in `cors_origins`.
 */
export function isOwnOrigin(
  { origin, host }: IncomingHttpHeaders,
  { cors_origins, public_url }: { cors_origins: readonly string[]; public_url?: string },
): boolean {
  if (cors_origins.length === 0 || origin === undefined) return true
  return [...cors_origins, ...originsOf(host), ...publicOrigin({ public_url })].includes(origin)
}

/** The URL of a server on this address; an IPv6 one goes into brackets. */
export const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`
