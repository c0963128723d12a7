import { digestOf, makeSecret } from './digest.ts'
import type { Cradle } from './manifest.ts'
import type { SignInChallenge } from './sign-in-kind.ts'
import type { SsoAttemptDocument } from './types.ts'

/** Seconds that somebody has at the other service. */
export const ATTEMPT_SECONDS = 600

/** What an attempt is for. */
export type NewAttempt = Pick<
  SsoAttemptDocument,
  'kind' | 'entry' | 'revision' | 'redirect_after' | 'redirect_uri' | 'user_id' | 'session_id'
>

/** Those who are on their way. */
export type SignInAttempts = ReturnType<typeof createAttempts>

/** Makes the store of attempts. A state is known to the browser alone; here it is only recognized. */
export function createAttempts({
  collections: { sso_attempts },
  secrets,
  clock,
}: Pick<Cradle, 'collections' | 'secrets' | 'clock'>) {
  const purposeOf = (id: string) => `sso_attempt:${id}`

  return {
    /** A challenge that is not known to the store yet. */
    challenge: (redirect_uri: string): SignInChallenge => ({
      redirect_uri,
      state: makeSecret(),
      nonce: makeSecret(),
      code_verifier: makeSecret(),
    }),

    async add(attempt: NewAttempt, { state, nonce, code_verifier }: SignInChallenge): Promise<void> {
      const _id = digestOf(state)
      const expires_at = clock.seconds() + ATTEMPT_SECONDS
      const challenge = secrets.seal(JSON.stringify({ nonce, code_verifier }), purposeOf(_id))
      const delete_at = new Date(expires_at * 1000)
      await sso_attempts.insertOne({ _id, ...attempt, challenge, expires_at, delete_at })
    },

    /** Gives the attempt of a state, for the only time; null where there is none, or its time is over. */
    async take(state: string): Promise<{ attempt: SsoAttemptDocument; challenge: SignInChallenge } | null> {
      const attempt = await sso_attempts.findOneAndDelete({ _id: digestOf(state) })
      if (!attempt || attempt.expires_at <= clock.seconds()) return null
      const { nonce, code_verifier } = JSON.parse(secrets.open(attempt.challenge, purposeOf(attempt._id)))
      return { attempt, challenge: { redirect_uri: attempt.redirect_uri, state, nonce, code_verifier } }
    },

    /** Removes those that an account which goes has begun. */
    async forgetUser(user_id: string): Promise<void> {
      await sso_attempts.deleteMany({ user_id })
    },
  }
}
