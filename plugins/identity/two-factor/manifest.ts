import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { twoFactorErrors } from './errors.ts'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'two-factor',
  summary: 'Sign-in with a second factor: codes of an authenticator app, recovery codes, and passkeys',
  tag: {
    name: 'Two factors',
    order: 13,
    description:
      'Codes of an authenticator app, required in addition to the password, and passkeys, which replace both.',
  },
  depends: ['users', 'auth', 'accounts'],
  config: {
    required_for: {
      type: 'array',
      items: { enum: ['admin', 'user', 'everybody'] },
      default: [],
      env: 'SVC_TWO_FACTOR_REQUIRED_FOR',
    },
  },
  errors: twoFactorErrors,
  limits: { passkeys: { default: 20, description: 'Passkeys of an account' } },
})

declare module '#kernel/types' {
  interface Manifests {
    'two-factor': typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
