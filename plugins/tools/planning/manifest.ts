import { defineManifest } from '#kernel'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'planning',
  summary: 'The tools with which agents plan, delegate and ask',
})

declare module '#kernel/types' {
  interface Manifests {
    planning: typeof manifest
  }
}
