import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { AppError, type ErrorCode, type TypeOf } from '#kernel'
import type { AuthCaller } from '../auth/types.ts'
import type { UserDocument } from '../users/types.ts'
import type { Users } from '../users/users.ts'
import type { Cradle } from './manifest.ts'
import { CHALLENGE_SECONDS, type PasskeyChallenges } from './passkey-challenges.ts'
import type { Passkeys } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'
import type { newPasskey, passkeySignIn } from './schemas.ts'
import type { PasskeyDocument } from './types.ts'

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
    ): Promise<UserDocument> {
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
