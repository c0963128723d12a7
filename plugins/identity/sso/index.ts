// Owns sign-in at other services: authorization requests, callbacks and their settings. Linked identities are part of
// the accounts of `users`; the session at the end is opened by `auth`.
import { definePlugin } from '#plugin-api'
import { createAddresses, type SsoAddresses } from './addresses.ts'
import { type AuthorizationRequests, createAuthorizationRequests } from './authorization-requests.ts'
import { bindingRoutes } from './binding-routes.ts'
import { createCallbacks, type SignInCallbacks } from './callbacks.ts'
import { createSignInKinds, type SignInKinds } from './kinds/registry.ts'
import { manifest } from './manifest.ts'
import { createProvisioning, type Provisioning } from './provisioning.ts'
import { createSettings, type SignInSettings, type SsoProviderDocument } from './settings.ts'
import { settingsRoutes } from './settings-routes.ts'
import { listStatus } from './settings-rows.ts'
import { signInRoutes } from './sign-in-routes.ts'
import {
  createAttempts,
  createCodes,
  type SignInAttempts,
  type SignInCodes,
  type SsoAttemptDocument,
  type SsoCodeDocument,
} from './sign-in-state.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    sso: {
      authorizationRequests: AuthorizationRequests
      signInCallbacks: SignInCallbacks
      signInProvisioning: Provisioning
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
    host.service('signInProvisioning', createProvisioning)
    host.service('authorizationRequests', createAuthorizationRequests)
    host.service('signInCallbacks', createCallbacks)
    host.routes([...bindingRoutes, ...signInRoutes, ...settingsRoutes])
    host.extend('console.sign_in', async ({ locale }, cradle) => {
      const offered = (await listStatus(cradle, locale)).filter(({ enabled }) => enabled)
      return offered.map(({ kind, display_name }) => ({ kind, display_name }))
    })
    host.extend('users.removal', async ({ user_id }, { signInAttempts, signInCodes }) => {
      await signInAttempts.forgetUser(user_id)
      await signInCodes.forgetUser(user_id)
    })
  },
  start({ signInKinds }) {
    // Created now, so that invalid endpoints in the settings stop the start.
    signInKinds.list()
  },
  stop: ({ signInKinds }) => signInKinds.close(),
})
