import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of the search plugin. */
export const manifest = defineManifest({
  name: 'search',
  summary: 'Search in the messages and titles of your conversations',
  tag: {
    name: 'Search',
    order: 43,
    description: 'Words and phrases in your conversations with all agents.',
  },
  depends: ['auth', 'agents', 'chat'],
})

declare module '#kernel/types' {
  interface Manifests {
    search: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
