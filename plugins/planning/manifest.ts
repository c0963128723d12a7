import { defineManifest } from '#kernel'

/** What this plugin is. */
export const manifest = defineManifest({
  name: 'planning',
  summary: 'The tools with which agents plan, delegate and ask',
})

declare module '#kernel/types' {
  interface Manifests {
    planning: typeof manifest
  }
}
