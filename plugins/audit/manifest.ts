import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'

/** What this plugin is. */
export const manifest = defineManifest({
  name: 'audit',
  summary: 'A chained log of everything that changes something, and of who signs in',
  depends: ['auth'],
})

declare module '#kernel/types' {
  interface Manifests {
    audit: typeof manifest
  }
}

/** What the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
