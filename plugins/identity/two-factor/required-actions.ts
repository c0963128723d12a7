import type { RequiredAction } from '../auth/types.ts'
import type { Account } from '../users/types.ts'
import type { Cradle } from './manifest.ts'

/** True if the settings require a second factor of accounts with this role. */
export const isRequired = ({ role }: Pick<Account, 'role'>, { config }: Pick<Cradle, 'config'>): boolean =>
  config.required_for.some((name) => name === role || name === 'everybody')

/** Creates the required actions of sessions whose accounts need a second factor: set one up, or prove it. */
export function createRequiredActions(cradle: () => Cradle): RequiredAction[] {
  const hasFactor = async ({ _id }: Account) => (await cradle().totpFactors.find(_id)) !== null
  return [
    {
      name: 'set_up_totp',
      routes: ['GET /auth/totp', 'POST /auth/totp', 'POST /auth/totp/confirm'],
      // A passkey is two factors: the device, and what unlocks it.
      isDue: async ({ user, method }) =>
        method !== 'passkey' && isRequired(user, cradle()) && !(await hasFactor(user)),
    },
    {
      name: 'verify_totp',
      routes: ['POST /auth/totp/verify'],
      // The code of a sign-in with a password was checked with the password.
      isDue: async ({ user, method }) =>
        method === 'sso' && isRequired(user, cradle()) && (await hasFactor(user)),
    },
  ]
}
