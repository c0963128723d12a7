import {
  type Cradle as CradleOf,
  type DefineRoute,
  defineManifest,
  defineRoute,
  type NamedObject,
} from '#plugin-api'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'audit',
  summary: 'A hash-chained log of every change and every sign-in',
  tag: {
    name: 'Administration',
    order: 94,
    description: 'The server at a glance.',
  },
  depends: ['auth'],
  config: { keep_days: { type: 'integer', minimum: 1, maximum: 36_500 } },
})

declare module '#kernel/types' {
  interface ExtensionPoints {
    /** Returns the names of the objects with these ids, for the readers of the audit log; never what is private. */
    'audit.names': (question: { ids: readonly string[] }) => Promise<readonly NamedObject[]>
  }
  interface Manifests {
    audit: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
