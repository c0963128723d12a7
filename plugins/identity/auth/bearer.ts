import { AppError, type GuardRequest } from '#plugin-api'
import type { Cradle } from './manifest.ts'
import type { Claims } from './tokens.ts'
import type { Credential } from './types.ts'

/** The subprotocol of this API's sockets, and the prefix of a token that a client offers as another subprotocol. */
const PROTOCOL = 'svc'
const BEARER = 'bearer.'

/** The account behind a token; `id` is that of its session, or of the credential that takes the place of one. */
export type Bearer = { user_id: string; id: string } & (
  | { claims: Claims; credential?: undefined }
  | { claims?: undefined; credential: Credential }
)

/** Reads the token of a request; a request without a valid one counts against its address. */
export async function readBearer(request: GuardRequest, cradle: Cradle): Promise<Bearer> {
  const token = readToken(request)
  try {
    if (!token) throw new AppError('AUTH_FAILED')
    if (!isSigned(token)) return await findCredential(token, cradle)
    const claims = await cradle.tokens.verify(token)
    return { user_id: claims.sub, id: claims.jti, claims }
  } catch (error) {
    // A database that is unavailable is nobody's guess.
    if (error instanceof AppError) await cradle.limits.admitAddress(request.ip)
    throw error
  }
}

/** True for the three parts of a JWT. */
const isSigned = (token: string) => token.split('.').length === 3

async function findCredential(token: string, { extensions, clock }: Cradle): Promise<Bearer> {
  const [bearer] = (await extensions['auth.bearer'].ask({ token })).filter((answer) => answer !== undefined)
  if (!bearer) throw new AppError('AUTH_FAILED')
  if (isExpired(bearer.credential, clock.seconds())) throw new AppError('TOKEN_EXPIRED')
  return bearer
}

/** True if a credential has expired at a time in Unix seconds. */
const isExpired = ({ expires_at }: Credential, now: number): boolean =>
  expires_at !== null && expires_at <= now

/** Returns the token of a request: a socket may carry it elsewhere, since browsers cannot set headers on a WebSocket. */
function readToken({ transport, headers, query }: GuardRequest): string | undefined {
  const bearer = /^bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (bearer || transport === 'http') return bearer
  if (typeof query.token === 'string') return query.token
  return listProtocols(headers)
    .find((name) => name.startsWith(BEARER))
    ?.slice(BEARER.length)
}

const listProtocols = (headers: GuardRequest['headers']) =>
  (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim())

/**
 * Confirms one of the offered subprotocols, without which browsers fail the connection; if PROTOCOL is among them, the
 * reply does not repeat the token.
 */
export function confirmProtocol({ headers, setHeader }: GuardRequest): void {
  const offered = listProtocols(headers)
  const protocol =
    offered.find((name) => name === PROTOCOL) ?? offered.find((name) => name.startsWith(BEARER))
  if (protocol) setHeader('Sec-WebSocket-Protocol', protocol)
}
