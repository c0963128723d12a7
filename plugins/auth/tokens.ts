import type JWT from 'jsonwebtoken'
import { AppError } from '#kernel'
import type { UserDocument } from '../users/types.ts'
import type { Cradle } from './manifest.ts'
import type { SigningKeys } from './signing-key.ts'
import type { SessionDocument } from './types.ts'

/** What a token says; times are Unix seconds. The server takes name and role from the database, not from here. */
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
/** Loaded with the first token: commands need none. */
const loadLibrary = async () => {
  loaded ??= (await import('jsonwebtoken')).default
  return loaded
}

/** Signs and reads access tokens. */
export type Tokens = ReturnType<typeof createTokens>

/** Makes the signer and reader of access tokens. */
export function createTokens({ signingKeys, clock }: { signingKeys: SigningKeys } & Pick<Cradle, 'clock'>) {
  return {
    /** A token that lasts until its session's end. */
    async sign(user: UserDocument, session: SessionDocument): Promise<string> {
      const { secret, epoch } = await signingKeys.read()
      const claims: Claims = {
        sub: user._id,
        uname: user.username,
        role: user.role,
        jti: session._id,
        iat: clock.seconds(),
        exp: session.expires_at,
        epoch,
      }
      const jwt = await loadLibrary()
      return jwt.sign(claims, secret, { algorithm: ALGORITHM })
    },

    /** Throws AUTH_FAILED, or TOKEN_EXPIRED for one that was good. */
    async verify(token: string): Promise<Claims> {
      const jwt = await loadLibrary()
      const secret = await signingKeys.find(epochOf(token, jwt))
      if (!secret) throw new AppError('AUTH_FAILED')
      try {
        const claims = jwt.verify(token, secret, { algorithms: [ALGORITHM], clockTimestamp: clock.seconds() })
        if (isComplete(claims)) return claims
      } catch (cause) {
        const code = cause instanceof jwt.TokenExpiredError ? 'TOKEN_EXPIRED' : 'AUTH_FAILED'
        throw new AppError(code, {}, { cause })
      }
      throw new AppError('AUTH_FAILED')
    },
  }
}

/** Whether the claims that the server goes by are there, in their types. */
const isComplete = (claims: unknown): claims is Claims => {
  const { sub, jti, iat, exp } = claims as Partial<Claims>
  return [sub, jti].every((text) => typeof text === 'string') && [iat, exp].every(Number.isInteger)
}

/** The epoch that a token claims, which says which secret to check it with. */
function epochOf(token: string, jwt: typeof JWT): number {
  try {
    const claims = jwt.decode(token, { json: true })
    if (Number.isSafeInteger(claims?.epoch)) return claims!.epoch
  } catch (cause) {
    throw new AppError('AUTH_FAILED', {}, { cause })
  }
  throw new AppError('AUTH_FAILED')
}
