import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { apiKeyErrors } from './errors.ts'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'api-keys',
  summary: 'API keys: named bearer tokens of an account for programs, limited to scopes',
  tag: {
    name: 'API keys',
    order: 14,
    description: 'Bearer tokens for programs, which may do what their scopes and the account allow.',
  },
  depends: ['users', 'auth'],
  errors: apiKeyErrors,
  limits: { api_keys: { default: 20, description: 'API keys of an account, expired ones included' } },
})

declare module '#kernel/types' {
  interface Manifests {
    'api-keys': typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
