import type { KernelServices } from '#kernel'
import { digestOf, makeSecret } from './digest.ts'
import type { SsoCodeDocument } from './types.ts'

/** How long the console has to fetch a sign-in. */
const CODE_MS = 60_000

/** The sign-ins that wait to be fetched. */
export type SignInCodes = ReturnType<typeof createCodes>

/** Makes the store of one-time codes, which themselves are kept nowhere. */
export function createCodes({
  collections: { sso_codes },
  clock,
}: Pick<KernelServices, 'collections' | 'clock'>) {
  return {
    async issue(user_id: string, identity_key: string): Promise<string> {
      const code = makeSecret()
      const expires_at = clock.now() + CODE_MS
      const delete_at = new Date(expires_at)
      await sso_codes.insertOne({ _id: digestOf(code), user_id, identity_key, expires_at, delete_at })
      return code
    },

    /** Gives whose a code is, for the only time; null where it is nobody's, or its time is over. */
    async redeem(code: string): Promise<SsoCodeDocument | null> {
      const found = await sso_codes.findOneAndDelete({ _id: digestOf(code) })
      return found && found.expires_at > clock.now() ? found : null
    },

    /** Removes those of an account that goes. */
    async forgetUser(user_id: string): Promise<void> {
      await sso_codes.deleteMany({ user_id })
    },
  }
}
