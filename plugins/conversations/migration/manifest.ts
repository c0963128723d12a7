import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'migration',
  summary: 'Histories that are rebuilt from their ledgers, and imported threads',
  tag: {
    name: 'Migration',
    order: 46,
    description: 'Threads of older versions and of other servers.',
  },
  depends: ['users', 'auth', 'agents', 'chat', 'trajectory'],
})

declare module '#kernel/types' {
  interface Manifests {
    migration: typeof manifest
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
