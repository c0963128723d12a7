import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { authErrors } from './errors.ts'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'auth',
  summary:
    'Sign-in with a password: sessions, tokens, lockout, the guards of routes, and the own account of a user',
  tag: {
    name: 'Signing in',
    order: 10,
    description: 'Sign in with a password, and manage your own account and sessions.',
  },
  depends: ['users', 'signals'],
  config: {
    access_token_ttl_seconds: {
      type: 'integer',
      minimum: 60,
      maximum: 31_536_000,
      default: 86_400,
      env: 'SVC_ACCESS_TOKEN_TTL',
    },
    refresh_token_ttl_seconds: {
      type: 'integer',
      minimum: 60,
      maximum: 31_536_000,
      default: 2_592_000,
      env: 'SVC_REFRESH_TOKEN_TTL',
    },
    login_max_attempts: { type: 'integer', minimum: 1, default: 5, env: 'SVC_LOGIN_MAX_ATTEMPTS' },
    login_lockout_seconds: { type: 'integer', minimum: 1, default: 900, env: 'SVC_LOGIN_LOCKOUT_SECONDS' },
    require_password_change_after_reset: { type: 'boolean', default: false },
    endpoints: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        additionalProperties: {
          type: 'string',
          format: 'url',
          pattern: '^https?://',
          examples: ['https://accounts.example.com'],
        },
      },
      default: {},
    },
  },
  errors: authErrors,
  limits: {
    sessions: {
      default: 50,
      description: 'Live sessions of an account; the oldest ends when there would be more',
    },
    sign_ins_per_address: { default: 30, description: 'Wrong sign-ins of an address in 15 minutes' },
  },
  events: ['session.ended', 'account.signed_in'],
})

declare module '#kernel/types' {
  interface Manifests {
    auth: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
