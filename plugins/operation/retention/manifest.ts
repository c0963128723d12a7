import { type Cradle as CradleOf, defineManifest } from '#kernel'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'retention',
  summary: 'Removes what is older than the settings say',
})

/** Something that is removed when it is old enough. */
export interface Pruning {
  /** The kind of what is removed, e.g. `threads`. */
  kind: string
  /** Null if everything is kept. */
  keep_days: number | null
  /** The number that was removed, or would be. */
  count: number
}

declare module '#kernel/types' {
  interface Manifests {
    retention: typeof manifest
  }
  interface ExtensionPoints {
    /** Removes what is older than the plugin's settings say; with `dry_run` only counts it. */
    'retention.prunings': (asked: { dry_run: boolean }) => Promise<Pruning>
  }
}

/** The services that the command and the job of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
