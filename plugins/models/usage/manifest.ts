import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute, timeZone } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'usage',
  summary: 'The tokens, pictures, audio and costs of model calls: their ledger, quotas and budgets',
  tag: {
    name: 'Usage',
    order: 80,
    description: 'The tokens and costs of model calls, quotas and budgets.',
  },
  depends: ['users', 'auth', 'providers', 'agents', 'signals'],
  config: {
    keep_days: { type: 'integer', minimum: 1, maximum: 36_500 },
    /** The currency of costs and budgets, as an ISO 4217 code. */
    currency: { type: 'string', pattern: '^[A-Z]{3}$', default: 'USD' },
    /** The zone in which the budget of the server begins anew, and the budgets of accounts without a zone of their own. */
    timezone: { ...timeZone, default: 'UTC' },
    /** Refuses calls of models without a known price, or runs them at no cost. */
    unpriced: { enum: ['run', 'refuse'], default: 'run' },
  },
  events: ['budget.warned'],
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
