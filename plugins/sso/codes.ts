import { digestOf, makeSecret } from './digest.ts'
import type { Cradle } from './manifest.ts'
import type { SsoCodeDocument } from './types.ts'

/** How long the console has to fetch a sign-in. */
const CODE_MS = 60_000

/** The sign-ins that wait to be fetched. */
export type SignInCodes = ReturnType<typeof createCodes>

/** Makes the store of one-time codes, which themselves are kept nowhere. */
export function createCodes({ collections: { sso_codes }, clock }: Pick<Cradle, 'collections' | 'clock'>) {
  return {
    async issue(came: Pick<SsoCodeDocument, 'user_id' | 'identity_key' | 'attempt_id'>): Promise<string> {
      const code = makeSecret()
      const expires_at = clock.now() + CODE_MS
      const delete_at = new Date(expires_at)
      await sso_codes.insertOne({ _id: digestOf(code), ...came, expires_at, delete_at })
      return code
    },

    /**
     * Gives whose a code is, for the only time; null where it is nobody's, its time is over, or it did not come of the
     * attempt with this state.
     */
    async redeem(code: string, state: string | undefined): Promise<SsoCodeDocument | null> {
      const found = await sso_codes.findOneAndDelete({ _id: digestOf(code) })
      const isOther = state !== undefined && found?.attempt_id !== digestOf(state)
      return found && !isOther && found.expires_at > clock.now() ? found : null
    },

    /** Removes those of an account that goes. */
    async forgetUser(user_id: string): Promise<void> {
      await sso_codes.deleteMany({ user_id })
    },
  }
}
