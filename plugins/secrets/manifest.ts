import { type Cradle as CradleOf, defineManifest } from '#kernel'

/** What this plugin is. */
export const manifest = defineManifest({
  name: 'secrets',
  summary: 'Replacement of the key that stored secrets are encrypted with',
})

declare module '#kernel/types' {
  interface Manifests {
    secrets: typeof manifest
  }
}

/** What the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
