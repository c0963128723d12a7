import { plugin } from '#kernel'
import { type AccountLockout, createAccountLockout } from './account-lockout.ts'
import { type AddressLimit, createAddressLimit } from './address-limit.ts'
import { type CallLimit, createCallLimit } from './call-limit.ts'
import { authErrors } from './errors.ts'
import { adminGuard, permissionGuard, userGuard } from './guards.ts'
import { createLogins, type Logins } from './logins.ts'
import { createPasswordChanges, type PasswordChanges } from './password-changes.ts'
import { rotateCommand } from './rotate-command.ts'
import { authRoutes } from './routes.ts'
import { createSessionWatch, type SessionWatch } from './session-watch.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createSigningKeys, type SigningKeys } from './signing-key.ts'
import { createTokens, type Tokens } from './tokens.ts'
import type { AuthConfig, SignInEndpoints } from './types.ts'

declare module '#kernel/types' {
  interface Services {
    accountLockout: AccountLockout
    addressLimit: AddressLimit
    callLimit: CallLimit
    logins: Logins
    passwordChanges: PasswordChanges
    sessions: Sessions
    sessionWatch: SessionWatch
    signInEndpoints: SignInEndpoints
    signingKeys: SigningKeys
    tokens: Tokens
  }
}

export default plugin({
  name: 'auth',
  summary: 'Signing in with a password, sessions, tokens and the guards that check them',
  depends: ['users'],
  config: {
    access_token_ttl_seconds: {
      type: 'integer',
      minimum: 60,
      maximum: 31_536_000,
      default: 86_400,
      env: 'SVC_ACCESS_TOKEN_TTL',
    },
    login_max_attempts: { type: 'integer', minimum: 1, default: 5, env: 'SVC_LOGIN_MAX_ATTEMPTS' },
    login_lockout_seconds: { type: 'integer', minimum: 1, default: 900, env: 'SVC_LOGIN_LOCKOUT_SECONDS' },
    require_password_change_after_reset: { type: 'boolean', default: false },
    endpoints: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: { type: 'string', format: 'url', pattern: '^https?://' },
      },
      default: {},
    },
  },
  errors: authErrors,
  setup(host) {
    host.collection('sessions', {
      indexes: [
        { key: { user_id: 1, ended_at: 1, created_at: -1, _id: 1 } },
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

    host.service('signInEndpoints', ({ config }) => (config as AuthConfig).endpoints)
    host.service('signingKeys', createSigningKeys)
    host.service('tokens', createTokens)
    host.service('sessions', createSessions)
    host.service('accountLockout', createAccountLockout)
    host.service('addressLimit', createAddressLimit)
    host.service('callLimit', createCallLimit)
    host.service('logins', createLogins)
    host.service('passwordChanges', createPasswordChanges)
    host.service('sessionWatch', createSessionWatch)

    host.limit('sessions', ({ sessions }, user_id) => sessions.count(user_id))
    host.guard('user', userGuard)
    host.guard('permission', permissionGuard)
    host.guard('admin', adminGuard)
    host.routes(authRoutes)
    host.command(rotateCommand)

    host.on('session.ended', ({ session_id }, { sessionWatch }) =>
      sessionWatch.closeSockets(new Set([session_id])),
    )
    host.on('user.changed', ({ user_id }, { sessionWatch }) => sessionWatch.applyChangeOf(user_id))
    host.on('user.deleted', async ({ user_id, username }, { sessions, accountLockout }) => {
      await sessions.forget(user_id)
      await accountLockout.clear(username)
    })
  },
  async start({ signingKeys, sessionWatch }) {
    // A key that cannot be opened stops the start rather than every login.
    await signingKeys.read()
    sessionWatch.start()
  },
  stop: ({ sessionWatch }) => sessionWatch.stop(),
})
