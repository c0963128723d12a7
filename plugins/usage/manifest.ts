import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'

/** What this plugin is. */
export const manifest = defineManifest({
  name: 'usage',
  summary: 'What model calls take: the ledger of tokens, and the quotas of accounts',
  depends: ['users', 'auth', 'providers', 'agents'],
})

declare module '#kernel/types' {
  interface Manifests {
    usage: typeof manifest
  }
}

/** What the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
