import { type Cradle as CradleOf, defineManifest } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'eval',
  summary: 'Tests of agents: cases run as turns of an account that is made for it',
  depends: ['terminal'],
})

declare module '#kernel/types' {
  interface Manifests {
    eval: typeof manifest
  }
}

/** The services that the command of this plugin receives. */
export type Cradle = CradleOf<typeof manifest>
