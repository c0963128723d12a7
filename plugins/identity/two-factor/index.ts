// Owns second factors: authenticator apps, recovery codes and passkeys. Passwords, sessions and the limits of failed
// sign-ins belong to `auth`, which asks this plugin through its extension points.
import { definePlugin } from '#plugin-api'
import {
  type Ceremonies,
  createCeremonies,
  createPasskeyChallenges,
  type PasskeyChallenges,
} from './ceremonies.ts'
import { manifest } from './manifest.ts'

import { passkeyRoutes } from './passkey-routes.ts'
import { createPasskeys, type Passkeys } from './passkeys.ts'
import { createProofs, type Proofs } from './proofs.ts'
import { createRequiredActions } from './required-actions.ts'
import { resetCommand, resetRoutes } from './reset.ts'
import { createTotpFactors, type TotpFactors } from './totp-factors.ts'
import { totpRoutes } from './totp-routes.ts'
import './types.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    'two-factor': {
      ceremonies: Ceremonies
      passkeyChallenges: PasskeyChallenges
      passkeys: Passkeys
      proofs: Proofs
      totpFactors: TotpFactors
    }
  }
}

/** In the words of "Sign in with …". */
const PASSKEY = { en: 'a passkey', zh: '通行密钥' }

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('totp_factors', { sealed: { secret: 'totp:{_id}' } })
    host.collection('totp_setups', {
      indexes: [{ key: { delete_at: 1 }, expireAfterSeconds: 0 }],
      sealed: { secret: 'totp_setup:{_id}' },
    })
    host.collection('passkeys', { indexes: [{ key: { user_id: 1, created_at: -1, _id: -1 } }] })
    host.collection('passkey_challenges', {
      indexes: [
        { key: { user_id: 1 }, partialFilterExpression: { user_id: { $type: 'string' } } },
        { key: { delete_at: 1 }, expireAfterSeconds: 0 },
      ],
    })
    host.service('totpFactors', createTotpFactors)
    host.service('proofs', createProofs)
    host.service('passkeys', createPasskeys)
    host.service('passkeyChallenges', createPasskeyChallenges)
    host.service('ceremonies', createCeremonies)
    host.limit('passkeys', ({ passkeys }, user_id) => passkeys.count(user_id))
    host.routes([...totpRoutes, ...passkeyRoutes, ...resetRoutes])
    host.command(resetCommand)

    host.extend('auth.second_factors', async ({ user, code }, { totpFactors }) => {
      if (code === undefined) return (await totpFactors.find(user._id)) ? 'missing' : 'not_needed'
      const answer = await totpFactors.accept(user._id, code)
      return answer === 'wrong' || answer === 'not_needed' ? answer : 'passed'
    })
    for (const action of createRequiredActions(() => host.cradle))
      host.extend('auth.required_actions', action)
    host.extend('console.sign_in', async ({ locale }) => [{ kind: 'passkey', display_name: PASSKEY[locale] }])
    host.extend('auth.password_reset', ({ user_id }, { passkeys }) => passkeys.removeAllOf(user_id))
    host.extend('accounts.second_factors', async ({ user_ids }, { totpFactors, passkeys }) => {
      const [totp, passkey] = await Promise.all([
        totpFactors.listHolders(user_ids),
        passkeys.listHolders(user_ids),
      ])
      const listOf = (id: string) => [
        ...(totp.has(id) ? ['totp'] : []),
        ...(passkey.has(id) ? ['passkey'] : []),
      ]
      return new Map(user_ids.map((id) => [id, listOf(id)]))
    })
    host.extend('users.removal', async ({ user_id }, { totpFactors, passkeys, passkeyChallenges }) => {
      await totpFactors.remove(user_id)
      await passkeys.removeAllOf(user_id)
      await passkeyChallenges.forgetUser(user_id)
    })
  },
})
