import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { accountErrors } from './errors.ts'

/** What this plugin is. */
export const manifest = defineManifest({
  name: 'accounts',
  summary: 'The administration of accounts: who there is, what they may do, and the catalog of permissions',
  depends: ['users', 'auth'],
  errors: accountErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    accounts: typeof manifest
  }
}

/** What the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
