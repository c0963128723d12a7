import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'

/** The manifest of the welcome plugin. */
export const manifest = defineManifest({
  name: 'welcome',
  summary: 'The greeting of an agent, and examples of tasks for it',
  tag: {
    name: 'Prompts',
    order: 42,
    description: 'Texts to begin a conversation with, and a better wording of your own.',
  },
  depends: ['auth', 'agents'],
})

declare module '#kernel/types' {
  interface Manifests {
    welcome: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
