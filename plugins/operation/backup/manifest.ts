import { type Cradle as CradleOf, defineManifest } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'backup',
  summary: 'Backs up and restores a server, and moves its database to a MongoDB server',
  config: {
    /** The health is `degraded` while the last backup is older, or if there was none. */
    max_age_hours: { type: 'integer', minimum: 1, env: 'SVC_BACKUP_MAX_AGE_HOURS' },
  },
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
