import { type Cradle as CradleOf, defineManifest } from '#plugin-api'

/** The manifest of the terminal plugin. */
export const manifest = defineManifest({
  name: 'terminal',
  summary: 'Chat clients for the terminal and for editors',
  depends: ['users', 'auth'],
})

declare module '#kernel/types' {
  interface Manifests {
    terminal: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
