import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { accountErrors } from './errors.ts'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'accounts',
  summary:
    'The routes and commands with which user managers administer accounts, and the catalog of permissions',
  tag: {
    name: 'Accounts',
    order: 90,
    description: 'Accounts and their permissions, for those who manage them.',
  },
  depends: ['users', 'auth'],
  errors: accountErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    accounts: typeof manifest
  }
  interface ExtensionPoints {
    /** Lists the second factors of accounts, by the account's id; accounts without one may be left out. */
    'accounts.second_factors': (question: {
      user_ids: readonly string[]
    }) => Promise<ReadonlyMap<string, readonly string[]>>
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
