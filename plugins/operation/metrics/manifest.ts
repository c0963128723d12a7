import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'metrics',
  summary:
    'Figures for Prometheus: requests, turns, models, tools, channels, queues, the database, the process',
  tag: {
    name: 'Administration',
    order: 94,
    description: 'The server at a glance.',
  },
  depends: ['auth'],
  config: {
    token: { type: 'string', minLength: 16, writeOnly: true, env: 'SVC_METRICS_TOKEN' },
  },
})

/** A figure at the moment. */
export interface Gauge {
  /** Begins with `svc_`. */
  name: string
  help: string
  /** Values from a fixed set: no ids, no names of people. */
  labels?: Readonly<Record<string, string>>
  value: number
  /** True if the value only rises until the server stops; its name ends in `_total`. */
  is_counter?: true
}

declare module '#kernel/types' {
  interface Manifests {
    metrics: typeof manifest
  }
  interface GuardContexts {
    /** Administrators, and clients with the token for metrics. */
    metrics_reader: object
  }
  interface ExtensionPoints {
    /** Returns figures of this moment when somebody reads the metrics. All gauges of a name have the same labels. */
    'metrics.gauges': (question: object) => Promise<readonly Gauge[]> | readonly Gauge[]
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
