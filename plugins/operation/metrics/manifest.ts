import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'metrics',
  summary:
    'Figures for Prometheus: requests, turns, models, tools, channels, queues, the database, the process',
  tag: {
    name: 'Administration',
    order: 94,
    description: 'The server at a glance, and what was done on it.',
  },
  depends: ['auth'],
  config: {
    token: { type: 'string', minLength: 16, writeOnly: true, env: 'SVC_METRICS_TOKEN' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    metrics: typeof manifest
  }
  interface GuardContexts {
    /** Administrators, and whoever has the token for metrics. */
    metrics_reader: object
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
