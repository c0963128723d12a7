import { AppError } from '#kernel'
import type { Cradle } from './manifest.ts'
import type { ChallengePurpose } from './types.ts'

/** The time that a user has to confirm a passkey. */
export const CHALLENGE_SECONDS = 300

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
