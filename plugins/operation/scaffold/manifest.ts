import { defineManifest } from '#kernel'

/** The manifest of the scaffold plugin. */
export const manifest = defineManifest({
  name: 'scaffold',
  summary: 'Commands for authors of plugins and kinds',
})

declare module '#kernel/types' {
  interface Manifests {
    scaffold: typeof manifest
  }
}
