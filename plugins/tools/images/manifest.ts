import { type Cradle as CradleOf, defineManifest } from '#plugin-api'

/** The manifest of the images plugin. */
export const manifest = defineManifest({
  name: 'images',
  summary: 'The tool with which agents draw and change pictures',
  depends: ['agents', 'providers'],
})

declare module '#kernel/types' {
  interface Manifests {
    images: typeof manifest
  }
}

/** The services of this plugin. */
export type Cradle = CradleOf<typeof manifest>
