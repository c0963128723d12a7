import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'

/** What this plugin is. */
export const manifest = defineManifest({
  name: 'migration',
  summary: 'Histories that are rebuilt from their ledgers, and threads that are brought in from elsewhere',
  depends: ['users', 'auth', 'agents', 'chat', 'trajectory'],
})

declare module '#kernel/types' {
  interface Manifests {
    migration: typeof manifest
  }
}

/** What the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
