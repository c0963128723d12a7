import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'personas',
  summary: 'Personas: how an agent speaks and acts, by MBTI type',
  tag: {
    name: 'Personas',
    order: 24,
    description: 'The sixteen MBTI profiles that set the tone of an agent.',
  },
  depends: ['auth', 'agents'],
})

declare module '#kernel/types' {
  interface Manifests {
    personas: typeof manifest
  }
}

/** The services that factories, handlers and hooks of this plugin receive. */
type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
