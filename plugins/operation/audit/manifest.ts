import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'audit',
  summary: 'A hash-chained log of every change and every sign-in',
  tag: {
    name: 'Administration',
    order: 94,
    description: 'The server at a glance, and what was done on it.',
  },
  depends: ['auth'],
  config: { keep_days: { type: 'integer', minimum: 1, maximum: 36_500 } },
})

declare module '#kernel/types' {
  interface Manifests {
    audit: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
