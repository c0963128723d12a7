import { isIP } from 'node:net'
import { AppError } from '#kernel'
import type { Headers } from '../auth/types.ts'
import type { Cradle } from './manifest.ts'

/** The server as authenticators know it: its domain, and the origin of its pages. */
export interface RelyingParty {
  id: string
  origin: string
}

/**
 * Returns the relying party: the public address of the server, or else the origin of the page that sends the request.
 * Throws PASSKEY_UNAVAILABLE for addresses on which browsers have no passkeys.
 */
export function findRelyingParty(headers: Headers, server: Cradle['server']): RelyingParty {
  const address = server.public_url ?? readOrigin(headers, server)
  if (!URL.canParse(address)) throw new AppError('PASSKEY_UNAVAILABLE')
  const { origin, protocol, hostname } = new URL(address)
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost')
  const isName = isIP(hostname.replace(/^\[|\]$/g, '')) === 0
  if (!isName || (protocol !== 'https:' && !isLocal)) throw new AppError('PASSKEY_UNAVAILABLE')
  return { id: hostname, origin }
}

function readOrigin(headers: Headers, server: Cradle['server']): string {
  if (typeof headers.origin === 'string' && server.isSameOrigin(headers)) return headers.origin
  return `${server.isSecure(headers) ? 'https' : 'http'}://${headers.host}`
}
