import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { expertErrors } from './errors.ts'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'experts',
  summary: 'Experts that agents are made from, bundled with the server and published by users',
  tag: {
    name: 'Experts',
    order: 22,
    description:
      'Templates from which agents are created: those that come with the server, and those that users have published.',
  },
  depends: ['users', 'auth', 'providers', 'agents'],
  errors: expertErrors,
  limits: {
    published_experts: { default: 20, description: 'Experts that an account has published' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    experts: typeof manifest
  }
}

/** The services that factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
