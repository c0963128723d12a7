import { createHash, randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { EntryPoint } from './errors.ts'
import type { Cradle } from './manifest.ts'
import type { KindName, SignInChallenge } from './sign-in-kind.ts'

/** A sign-in in progress at another service; `_id` is the SHA-256 of the state, base64url. */
export interface SsoAttemptDocument {
  _id: string
  kind: KindName
  entry: EntryPoint
  /** The revision of the settings that the attempt began with. */
  revision: number
  redirect_after: string
  redirect_uri: string
  /** The nonce and the code verifier as JSON, encrypted for the purpose `sso_attempt:<_id>`. */
  challenge: string
  /** The account to link the identity to, and the session that began the attempt; null for a sign-in. */
  user_id: string | null
  session_id: string | null
  /** Unix seconds. */
  expires_at: number
  /** `expires_at` as a date, for the TTL index. */
  delete_at: Date
}

/** A completed sign-in whose code can be exchanged once; `_id` is the SHA-256 of the code, base64url. */
export interface SsoCodeDocument {
  _id: string
  user_id: string
  /** The key of the identity that signed in. */
  identity_key: string
  /** The attempt that was completed. */
  attempt_id: string
  /** Unix milliseconds. */
  expires_at: number
  /** `expires_at` as a date, for the TTL index. */
  delete_at: Date
}

/** Returns the SHA-256 of a text in base64url; secrets that clients send back are stored as digests only. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Generates a secret of 256 bits, 43 characters of base64url. */
const makeSecret = (): string => randomBytes(32).toString('base64url')

/** The time that a user has to sign in at the other service. */
const ATTEMPT_SECONDS = 600

/** The fields of a new attempt that its authorization request decides. */
type NewAttempt = Pick<
  SsoAttemptDocument,
  'kind' | 'entry' | 'revision' | 'redirect_after' | 'redirect_uri' | 'user_id' | 'session_id'
>

/** The store of sign-ins that are in progress at another service. */
export type SignInAttempts = ReturnType<typeof createAttempts>

/** Creates the store of attempts. Only the browser keeps the state of an attempt; the store keeps its digest. */
export function createAttempts({
  collections: { sso_attempts },
  secrets,
  clock,
}: Pick<Cradle, 'collections' | 'secrets' | 'clock'>) {
  const getPurpose = (id: string) => `sso_attempt:${id}`

  return {
    /** Generates the challenge of a new attempt without storing it. */
    makeChallenge: (redirect_uri: string): SignInChallenge => ({
      redirect_uri,
      state: makeSecret(),
      nonce: makeSecret(),
      code_verifier: makeSecret(),
    }),

    async add(attempt: NewAttempt, { state, nonce, code_verifier }: SignInChallenge): Promise<void> {
      const _id = digest(state)
      const expires_at = clock.seconds() + ATTEMPT_SECONDS
      const challenge = secrets.seal(JSON.stringify({ nonce, code_verifier }), getPurpose(_id))
      const delete_at = new Date(expires_at * 1000)
      await sso_attempts.insertOne({ _id, ...attempt, challenge, expires_at, delete_at })
    },

    /** Removes and returns the attempt with this state; null if it does not exist or has expired. */
    async take(state: string): Promise<{ attempt: SsoAttemptDocument; challenge: SignInChallenge } | null> {
      const attempt = await sso_attempts.findOneAndDelete({ _id: digest(state) })
      if (!attempt || attempt.expires_at <= clock.seconds()) return null
      const { nonce, code_verifier } = JSON.parse(secrets.open(attempt.challenge, getPurpose(attempt._id)))
      return { attempt, challenge: { redirect_uri: attempt.redirect_uri, state, nonce, code_verifier } }
    },

    /** Removes the attempts of a deleted account. */
    async forgetUser(user_id: string): Promise<void> {
      await sso_attempts.deleteMany({ user_id })
    },
  }
}

/** Names the cookie of an attempt: each attempt has its own, so that several tabs can sign in at once. */
const getCookieName = (state: string) => `svc_sso_${digest(state).slice(0, 12)}`

const cookieOptions = (secure: boolean) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/api/auth', secure }) as const

/** Returns the `Set-Cookie` header that stores the state in the browser, to recognize it in the callback. */
export const setStateCookie = (state: string, secure: boolean): string =>
  stringifySetCookie(getCookieName(state), state, { ...cookieOptions(secure), maxAge: ATTEMPT_SECONDS })

/** Returns the `Set-Cookie` header that removes the state from the browser. */
export const clearStateCookie = (state: string, secure: boolean): string =>
  stringifySetCookie(getCookieName(state), '', { ...cookieOptions(secure), maxAge: 0 })

/** True if the cookies are from the browser that began the attempt with this state. */
export const hasStateCookie = (cookies: string | undefined, state: string): boolean =>
  parseCookie(cookies ?? '')[getCookieName(state)] === state

/** The time that the console has to exchange a code. */
const CODE_MS = 60_000

/** The store of completed sign-ins whose code the console has not exchanged yet. */
export type SignInCodes = ReturnType<typeof createCodes>

/** Creates the store of one-time codes, which keeps only their digests. */
export function createCodes({ collections: { sso_codes }, clock }: Pick<Cradle, 'collections' | 'clock'>) {
  return {
    async issue(signIn: Pick<SsoCodeDocument, 'user_id' | 'identity_key' | 'attempt_id'>): Promise<string> {
      const code = makeSecret()
      const expires_at = clock.now() + CODE_MS
      const delete_at = new Date(expires_at)
      await sso_codes.insertOne({ _id: digest(code), ...signIn, expires_at, delete_at })
      return code
    },

    /**
     * Removes and returns the sign-in of a code; null if the code is unknown or has expired, or if it was issued for an
     * attempt with another state.
     */
    async redeem(code: string, state: string | undefined): Promise<SsoCodeDocument | null> {
      const signIn = await sso_codes.findOneAndDelete({ _id: digest(code) })
      const isOtherState = state !== undefined && signIn?.attempt_id !== digest(state)
      return signIn && !isOtherState && signIn.expires_at > clock.now() ? signIn : null
    },

    /** Removes the codes of a deleted account. */
    async forgetUser(user_id: string): Promise<void> {
      await sso_codes.deleteMany({ user_id })
    },
  }
}
