import { definePlugin } from '#kernel'
import { createAddresses, type SsoAddresses } from './addresses.ts'
import { type Arrivals, createArrivals } from './arrivals.ts'
import { createAttempts, type SignInAttempts } from './attempts.ts'
import { bindingRoutes } from './binding-routes.ts'
import { createCodes, type SignInCodes } from './codes.ts'
import { createDepartures, type Departures } from './departures.ts'
import { createSignInKinds, type SignInKinds } from './endpoints.ts'
import { entryRoutes } from './entry-routes.ts'
import { manifest } from './manifest.ts'
import { createReturns, type Returns } from './returns.ts'
import { createSettings, type SignInSettings } from './settings.ts'
import { settingsRoutes } from './settings-routes.ts'
import type { SsoAttemptDocument, SsoCodeDocument, SsoProviderDocument } from './types.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    sso: {
      signInArrivals: Arrivals
      signInDepartures: Departures
      signInReturns: Returns
      signInAttempts: SignInAttempts
      signInCodes: SignInCodes
      signInKinds: SignInKinds
      signInSettings: SignInSettings
      ssoAddresses: SsoAddresses
    }
  }
  interface Collections {
    sso: {
      sso_attempts: SsoAttemptDocument
      sso_codes: SsoCodeDocument
      sso_providers: SsoProviderDocument
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('sso_providers', { sealed: { client_secret: 'sso:{_id}' } })
    host.collection('sso_attempts', {
      indexes: [
        { key: { user_id: 1 }, partialFilterExpression: { user_id: { $type: 'string' } } },
        { key: { delete_at: 1 }, expireAfterSeconds: 0 },
      ],
      sealed: { challenge: 'sso_attempt:{_id}' },
    })
    host.collection('sso_codes', {
      indexes: [{ key: { user_id: 1 } }, { key: { delete_at: 1 }, expireAfterSeconds: 0 }],
    })
    host.service('ssoAddresses', createAddresses)
    host.service('signInKinds', createSignInKinds)
    host.service('signInSettings', createSettings)
    host.service('signInAttempts', createAttempts)
    host.service('signInCodes', createCodes)
    host.service('signInArrivals', createArrivals)
    host.service('signInDepartures', createDepartures)
    host.service('signInReturns', createReturns)
    host.routes([...bindingRoutes, ...entryRoutes, ...settingsRoutes])
    host.extend('users.removal', async ({ user_id }, { signInAttempts, signInCodes }) => {
      await signInAttempts.forgetUser(user_id)
      await signInCodes.forgetUser(user_id)
    })
  },
  start({ signInKinds }) {
    // Made with the start, so that settings which name what there is not stop it.
    signInKinds.list()
  },
  stop: ({ signInKinds }) => signInKinds.close(),
})
