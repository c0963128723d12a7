import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'overview',
  summary: 'The service at a glance, and the server processes that it runs on',
  tag: {
    name: 'Administration',
    order: 94,
    description: 'The server at a glance.',
  },
  depends: ['users', 'auth', 'signals'],
})

declare module '#kernel/types' {
  interface Manifests {
    overview: typeof manifest
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
