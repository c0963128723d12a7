import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'

/** What this plugin is. */
export const manifest = defineManifest({
  name: 'welcome',
  summary: 'What an agent greets its users with, and examples of what it can be asked to do',
  depends: ['auth', 'agents'],
})

declare module '#kernel/types' {
  interface Manifests {
    welcome: typeof manifest
  }
}

/** What the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
