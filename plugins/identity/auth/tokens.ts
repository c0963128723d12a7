import type JWT from 'jsonwebtoken'
import { AppError, createRecentValues } from '#plugin-api'
import type { Account } from '../users/types.ts'
import type { Cradle } from './manifest.ts'
import type { SigningKeys } from './signing-key.ts'
import type { SessionDocument } from './types.ts'

/** The claims of a token; times are Unix seconds. The server reads name and role from the database instead. */
export interface Claims {
  sub: string
  uname: string
  role: string
  jti: string
  iat: number
  exp: number
  epoch: number
}

const ALGORITHM = 'HS256'

let loaded: typeof JWT | undefined
/** Imports the library with the first token, because commands need none. */
const loadLibrary = async () => {
  loaded ??= (await import('jsonwebtoken')).default
  return loaded
}

/** Imports what the first token needs. */
export const prepareTokens = async (): Promise<void> => {
  await loadLibrary()
}

/** Signs and verifies access tokens. */
export type Tokens = ReturnType<typeof createTokens>

/** Creates the signer and verifier of access tokens. */
export function createTokens({
  signingKeys,
  clock,
  config,
}: { signingKeys: SigningKeys } & Pick<Cradle, 'clock' | 'config'>) {
  const verify = async (token: string): Promise<Claims> => {
    const jwt = await loadLibrary()
    const secret = await signingKeys.find(readEpoch(token, jwt))
    if (!secret) throw new AppError('AUTH_FAILED')
    try {
      const claims = jwt.verify(token, secret, { algorithms: [ALGORITHM], clockTimestamp: clock.seconds() })
      if (isComplete(claims)) return claims
    } catch (cause) {
      const code = cause instanceof jwt.TokenExpiredError ? 'TOKEN_EXPIRED' : 'AUTH_FAILED'
      throw new AppError(code, {}, { cause })
    }
    throw new AppError('AUTH_FAILED')
  }

  // A signature takes a good part of a small request's time.
  const recent = createRecentValues(async (tokens) => new Map(tokens.map((token) => [token, verify(token)])))

  return {
    /** Signs a token that is valid until its session expires, if that is not later than the life of a token. */
    async sign(user: Account, session: SessionDocument): Promise<string> {
      const { secret, epoch } = await signingKeys.read()
      const now = clock.seconds()
      const claims: Claims = {
        sub: user._id,
        uname: user.username,
        role: user.role,
        jti: session._id,
        iat: now,
        exp: Math.min(session.expires_at, now + config.access_token_ttl_seconds),
        epoch,
      }
      const jwt = await loadLibrary()
      return jwt.sign(claims, secret, { algorithm: ALGORITHM })
    },

    /** Returns the claims of a token. Throws TOKEN_EXPIRED if it was valid once, else AUTH_FAILED. */
    async verify(token: string): Promise<Claims> {
      const claims = (await recent.get(token))!
      if (claims.exp <= clock.seconds()) throw new AppError('TOKEN_EXPIRED')
      return claims
    },
  }
}

/** True if the claims that the server uses are present, with their types. */
const isComplete = (claims: unknown): claims is Claims => {
  const { sub, jti, iat, exp } = claims as Partial<Claims>
  return [sub, jti].every((text) => typeof text === 'string') && [iat, exp].every(Number.isInteger)
}

/** Reads the unverified epoch of a token, which selects the secret to verify it with. */
function readEpoch(token: string, jwt: typeof JWT): number {
  try {
    const claims = jwt.decode(token, { json: true })
    if (Number.isSafeInteger(claims?.epoch)) return claims!.epoch
  } catch (cause) {
    throw new AppError('AUTH_FAILED', {}, { cause })
  }
  throw new AppError('AUTH_FAILED')
}
