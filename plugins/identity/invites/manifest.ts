import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { inviteErrors } from './errors.ts'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'invites',
  summary: 'Invites, with which people create their own accounts',
  tag: {
    name: 'Invites',
    order: 92,
    description: 'Links with which people make their own account.',
  },
  depends: ['users', 'auth', 'accounts'],
  errors: inviteErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    invites: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
