import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { trajectoryErrors } from './errors.ts'

/** What this plugin is. */
export const manifest = defineManifest({
  name: 'trajectory',
  summary:
    'What happened in a conversation step by step: lists, figures, a stream, and exports that can be run again',
  depends: ['auth', 'agents', 'chat'],
  errors: trajectoryErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    trajectory: typeof manifest
  }
}

/** What the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
