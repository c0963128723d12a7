// Owns sign-in: passwords are checked here against the accounts of `users`, and sessions, tokens and guards are kept
// here. Managing other people's accounts belongs to `accounts`.
import { definePlugin } from '#plugin-api'
import { type AccountLockout, createAccountLockout } from './account-lockout.ts'
import { adminGuard, bearerGuard, permissionGuard, userGuard, visitorGuard } from './guards.ts'
import { createLogins, type Logins } from './logins.ts'
import { manifest } from './manifest.ts'
import { createPasswordChanges, type PasswordChanges } from './password-changes.ts'
import { type AddressLimit, type CallLimit, createAddressLimit, createCallLimit } from './rate-limits.ts'
import { createRefreshTokens, type RefreshTokens } from './refresh-tokens.ts'
import { createRefunds, type Refunds } from './refunds.ts'
import { authRoutes } from './routes.ts'
import { createScopes, type Scopes } from './scopes.ts'
import { createSessionWatch, type SessionWatch } from './session-watch.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createSigningKeys, rotateCommand, type SigningKeys } from './signing-key.ts'
import { createTokens, prepareTokens, type Tokens } from './tokens.ts'
import type { SignInEndpoints } from './types.ts'

declare module '../../operation/signals/types.ts' {
  interface Facts {
    'session.ended': { session_id: string }
    'user.changed': { user_id: string }
  }
}

declare module '#kernel/types' {
  interface Services {
    auth: {
      sessions: Sessions
      signInEndpoints: SignInEndpoints
      logins: Logins
      callLimit: CallLimit
      accountLockout: AccountLockout
      passwordChanges: PasswordChanges
      scopes: Scopes
    }
  }
  interface PrivateServices {
    auth: {
      addressLimit: AddressLimit
      refunds: Refunds
      refreshTokens: RefreshTokens
      sessionWatch: SessionWatch
      signingKeys: SigningKeys
      tokens: Tokens
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('sessions', {
      indexes: [
        { key: { user_id: 1, ended_at: 1, created_at: -1, _id: -1 } },
        { key: { ended_at: 1 }, partialFilterExpression: { ended_at: { $gt: 0 } } },
        { key: { delete_at: 1 }, expireAfterSeconds: 0 },
      ],
    })
    host.collection('login_attempts', { indexes: [{ key: { delete_at: 1 }, expireAfterSeconds: 0 }] })
    for (const points of ['login_addresses', 'limited_calls'] as const)
      host.collection(points, {
        indexes: [
          { key: { key: 1 }, unique: true },
          { key: { expire: 1 }, expireAfterSeconds: 0 },
        ],
      })
    host.collection('signing_keys', { sealed: { sealed: 'jwt' } })

    host.provide('signInEndpoints', ({ config }) => config.endpoints)
    host.service('signingKeys', createSigningKeys)
    host.service('tokens', createTokens)
    host.provide('sessions', createSessions)
    host.service('refreshTokens', createRefreshTokens)
    host.provide('accountLockout', createAccountLockout)
    host.service('refunds', createRefunds)
    host.service('addressLimit', createAddressLimit)
    host.provide('callLimit', createCallLimit)
    host.provide('logins', createLogins)
    host.provide('passwordChanges', createPasswordChanges)
    host.provide('scopes', createScopes)
    host.service('sessionWatch', createSessionWatch)

    host.extensionPoint('auth.bearer', { noun: 'kind of bearer token' })
    host.extensionPoint('auth.live_credentials', { noun: 'list of live credentials' })
    host.extensionPoint('auth.second_factors', { noun: 'second factor' })
    host.extensionPoint('auth.required_actions', { noun: 'required action', nameOf: ({ name }) => name })
    host.extensionPoint('auth.budgets', { noun: 'budget' })
    host.extensionPoint('auth.password_reset', { noun: 'part of a password reset' })
    host.limit('sessions', ({ sessions }, user_id) => sessions.count(user_id))
    host.guard('bearer', bearerGuard)
    host.guard('user', userGuard)
    host.guard('visitor', visitorGuard)
    host.guard('permission', permissionGuard)
    host.guard('admin', adminGuard)
    host.routes(authRoutes)
    host.command(rotateCommand)

    host.on('session.ended', ({ session_id }, { sessionWatch, signals }) => {
      signals.publish('session.ended', { session_id })
      sessionWatch.closeSockets(new Set([session_id]))
    })
    host.on('user.changed', ({ user_id }, { sessionWatch, signals }) => {
      signals.publish('user.changed', { user_id })
      return sessionWatch.recheckUser(user_id)
    })
    host.extend('users.removal', async ({ user_id, username }, { sessions, accountLockout }) => {
      await sessions.forget(user_id)
      await accountLockout.clear(username)
    })
  },
  async start({ signingKeys, sessionWatch, signals }) {
    // A key that cannot be decrypted stops the start instead of failing every login.
    await signingKeys.read()
    sessionWatch.start()
    signals.on('session.ended', ({ session_id }) => sessionWatch.endElsewhere(session_id))
    signals.on('user.changed', ({ user_id }) => sessionWatch.recheckUser(user_id))
    signals.onMissed(() => sessionWatch.checkSoon())
  },
  warm: prepareTokens,
  stop: ({ sessionWatch }) => sessionWatch.stop(),
})
