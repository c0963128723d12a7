import type { IncomingHttpHeaders } from 'node:http'
import { isIPv6 } from 'node:net'
import type { KernelConfig } from '../config/config-schema.ts'

/** The address itself for IPv4, the /64 for IPv6, all of which is usually one household's or one machine's. */
export function networkOf(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(ip)
  if (mapped) return mapped[1]!
  if (!isIPv6(ip)) return ip
  const { hostname } = new URL(`http://[${ip.split('%')[0]}]`)
  const [head, tail = ''] = hostname.slice(1, -1).split('::') as [string, string?]
  const before = head.split(':').filter(Boolean)
  const after = tail.split(':').filter(Boolean)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`
}

/**
 * True unless a browser sends the request for a page of another origin than this server's and those of the settings, if
 * these list any.
 */
export function isOwnOrigin(
  { origin, host }: IncomingHttpHeaders,
  { cors_origins, public_url }: Pick<KernelConfig['http'], 'cors_origins' | 'public_url'>,
): boolean {
  if (cors_origins.length === 0 || origin === undefined) return true
  const own = [`http://${host}`, `https://${host}`, public_url && new URL(public_url).origin]
  return [...cors_origins, ...own].includes(origin)
}

/** The URL of a server on this address; an IPv6 one goes into brackets. */
export const originOf = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`
