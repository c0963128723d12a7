import { defineManifest } from '#kernel'

/** What this plugin is. */
export const manifest = defineManifest({
  name: 'scaffold',
  summary: 'Commands for those who write plugins and kinds',
})

declare module '#kernel/types' {
  interface Manifests {
    scaffold: typeof manifest
  }
}
