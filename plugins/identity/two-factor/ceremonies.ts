import { isIP } from 'node:net'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { AppError, type ErrorCode, type TypeOf } from '#plugin-api'
import type { AuthCaller, Headers } from '../auth/types.ts'
import type { Account } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import type { Cradle } from './manifest.ts'
import type { Passkeys } from './passkeys.ts'
import type { newPasskey, passkeySignIn } from './schemas.ts'
import type { ChallengePurpose, PasskeyDocument } from './types.ts'

/** The time that a user has to confirm a passkey. */
const CHALLENGE_SECONDS = 300
const TIMEOUT_MS = CHALLENGE_SECONDS * 1000

/** Imports the library with the first passkey. */
const loadLibrary = () => import('@simplewebauthn/server')

/** The two ceremonies of Web Authentication: registration and sign-in. */
export type Ceremonies = ReturnType<typeof createCeremonies>

/** Creates the ceremonies. */
export function createCeremonies({
  passkeys,
  passkeyChallenges,
  users,
  clock,
  log,
}: { passkeys: Passkeys; passkeyChallenges: PasskeyChallenges; users: Users } & Pick<
  Cradle,
  'clock' | 'log'
>) {
  /** Runs a verification of the library, which throws for every fault. */
  const verify = async <Result extends { verified: boolean }>(
    work: () => Promise<Result>,
    refusal: ErrorCode,
  ): Promise<Result & { verified: true }> => {
    const result = await work().catch((cause: unknown) => {
      log.info({ error: cause }, 'a passkey could not be verified')
      throw new AppError(refusal, {}, { cause })
    })
    if (!result.verified) throw new AppError(refusal)
    return result as Result & { verified: true }
  }

  return {
    /** Returns the options with which a browser makes a passkey for the caller's account. */
    async beginRegistration({ id: user_id, username }: AuthCaller, { id: rpID }: RelyingParty) {
      const [{ generateRegistrationOptions }, existing] = await Promise.all([
        loadLibrary(),
        passkeys.listAll(user_id),
      ])
      const options = await generateRegistrationOptions({
        rpName: 'svc',
        rpID,
        userName: username,
        userID: new TextEncoder().encode(user_id),
        timeout: TIMEOUT_MS,
        excludeCredentials: existing.map(({ _id: id, transports }) => ({
          id,
          transports: transports as never,
        })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      })
      await passkeyChallenges.add(options.challenge, 'register', user_id)
      return { ...options }
    },

    /** Adds the passkey that a browser made. Throws PASSKEY_CHALLENGE_EXPIRED, PASSKEY_INVALID, the errors of `add`. */
    async register(
      { id: user_id }: AuthCaller,
      { name, attestation }: TypeOf<typeof newPasskey>,
      party: RelyingParty,
    ): Promise<PasskeyDocument> {
      const { clientDataJSON, transports = [] } = attestation.response
      const expectedChallenge = await passkeyChallenges.take(clientDataJSON, 'register', user_id)
      const { verifyRegistrationResponse } = await loadLibrary()
      const { registrationInfo: registration } = await verify(
        () =>
          verifyRegistrationResponse({
            response: attestation as unknown as RegistrationResponseJSON,
            expectedChallenge,
            expectedOrigin: party.origin,
            expectedRPID: party.id,
          }),
        'PASSKEY_INVALID',
      )
      const passkey: PasskeyDocument = {
        _id: registration.credential.id,
        user_id,
        name,
        public_key: Buffer.from(registration.credential.publicKey).toString('base64url'),
        rp_id: party.id,
        counter: registration.credential.counter,
        transports,
        backed_up: registration.credentialBackedUp,
        created_at: clock.seconds(),
        last_used_at: null,
      }
      await passkeys.add(passkey)
      return passkey
    },

    /** Returns the options with which a browser finds a passkey for a sign-in. */
    async beginSignIn({ id: rpID }: RelyingParty) {
      const { generateAuthenticationOptions } = await loadLibrary()
      const options = await generateAuthenticationOptions({
        rpID,
        timeout: TIMEOUT_MS,
        userVerification: 'required',
      })
      await passkeyChallenges.add(options.challenge, 'sign_in', null)
      return { ...options }
    },

    /** Returns the account of the passkey that signed a challenge. Throws PASSKEY_CHALLENGE_EXPIRED, PASSKEY_REFUSED. */
    async authenticate(
      { assertion }: Pick<TypeOf<typeof passkeySignIn>, 'assertion'>,
      party: RelyingParty,
    ): Promise<Account> {
      const { clientDataJSON, userHandle } = assertion.response
      const expectedChallenge = await passkeyChallenges.take(clientDataJSON, 'sign_in', null)
      const passkey = await passkeys.find(assertion.id)
      const owner = passkey && Buffer.from(passkey.user_id).toString('base64url')
      if (!passkey || passkey.rp_id !== party.id || (userHandle ?? owner) !== owner)
        throw new AppError('PASSKEY_REFUSED')
      const { verifyAuthenticationResponse } = await loadLibrary()
      const { authenticationInfo: used } = await verify(
        () =>
          verifyAuthenticationResponse({
            response: assertion as unknown as AuthenticationResponseJSON,
            expectedChallenge,
            expectedOrigin: party.origin,
            expectedRPID: party.id,
            credential: {
              id: passkey._id,
              publicKey: Buffer.from(passkey.public_key, 'base64url'),
              counter: passkey.counter,
            },
          }),
        'PASSKEY_REFUSED',
      )
      const next = { counter: used.newCounter, backed_up: used.credentialBackedUp }
      const user = (await passkeys.noteUse(passkey, next)) && (await users.find(passkey.user_id))
      if (!user) throw new AppError('PASSKEY_REFUSED')
      return user
    },
  }
}

/** The challenges that authenticators have to sign. */
export type PasskeyChallenges = ReturnType<typeof createPasskeyChallenges>

/** Creates the store of challenges, each for one purpose, for one account if it has one, and for one use. */
export function createPasskeyChallenges({
  collections: { passkey_challenges },
  clock,
}: Pick<Cradle, 'collections' | 'clock'>) {
  return {
    async add(challenge: string, purpose: ChallengePurpose, user_id: string | null): Promise<void> {
      const expires_at = clock.seconds() + CHALLENGE_SECONDS
      const delete_at = new Date(expires_at * 1000)
      await passkey_challenges.insertOne({ _id: challenge, purpose, user_id, expires_at, delete_at })
    },

    /** Uses up the challenge that an authenticator signed, and returns it. Throws PASSKEY_CHALLENGE_EXPIRED. */
    async take(clientDataJSON: string, purpose: ChallengePurpose, user_id: string | null): Promise<string> {
      const _id = readChallenge(clientDataJSON)
      const used = await passkey_challenges.findOneAndDelete({ _id, purpose, user_id })
      if (!used || used.expires_at <= clock.seconds()) throw new AppError('PASSKEY_CHALLENGE_EXPIRED')
      return used._id
    },

    /** Removes the challenges of a deleted account. */
    async forgetUser(user_id: string): Promise<void> {
      await passkey_challenges.deleteMany({ user_id })
    },
  }
}

/** Reads the challenge in what an authenticator signed; an empty text, which is no challenge, if there is none. */
function readChallenge(clientDataJSON: string): string {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString())
    const { challenge } = Object(data) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch (error) {
    if (error instanceof SyntaxError) return ''
    throw error
  }
}

/** The server as authenticators know it: its domain, and the origin of its pages. */
interface RelyingParty {
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
