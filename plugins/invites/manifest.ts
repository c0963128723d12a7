import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { inviteErrors } from './errors.ts'

/** What this plugin is. */
export const manifest = defineManifest({
  name: 'invites',
  summary: 'Invites, and the accounts that the invited make for themselves',
  depends: ['users', 'auth', 'accounts'],
  errors: inviteErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    invites: typeof manifest
  }
}

/** What the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
