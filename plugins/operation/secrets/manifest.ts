import { type Cradle as CradleOf, defineManifest } from '#kernel'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'secrets',
  summary: 'Replaces the key that encrypts stored secrets',
})

declare module '#kernel/types' {
  interface Manifests {
    secrets: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
