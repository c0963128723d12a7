import { type Cradle as CradleOf, defineManifest } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'backup',
  summary: 'Backs up and restores a server, and moves its database to a MongoDB server',
})

declare module '#kernel/types' {
  interface Manifests {
    backup: typeof manifest
  }
  interface ExtensionPoints {
    /** Makes the data of a plugin consistent after it was restored: collections were read one after the other. */
    'backup.restored': (restored: object) => unknown
  }
}

/** The services that the commands of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
