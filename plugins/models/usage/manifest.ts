import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'usage',
  summary: 'The tokens, pictures, audio and costs of model calls: their ledger, and the quotas of accounts',
  tag: {
    name: 'Usage',
    order: 80,
    description: 'The tokens of model calls, and quotas.',
  },
  depends: ['users', 'auth', 'providers', 'agents'],
  config: {
    keep_days: { type: 'integer', minimum: 1, maximum: 36_500 },
    /** The currency of costs and budgets, as an ISO 4217 code. */
    currency: { type: 'string', pattern: '^[A-Z]{3}$', default: 'USD' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    usage: typeof manifest
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
