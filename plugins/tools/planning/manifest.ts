import { type Cradle as CradleOf, defineManifest } from '#plugin-api'

/** The manifest of the planning plugin. */
export const manifest = defineManifest({
  name: 'planning',
  summary: 'The tools with which agents plan, delegate and ask',
  depends: ['agents'],
})

declare module '#kernel/types' {
  interface Manifests {
    planning: typeof manifest
  }
}

/** The services of this plugin. */
export type Cradle = CradleOf<typeof manifest>
