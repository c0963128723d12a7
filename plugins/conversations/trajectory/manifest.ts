import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { trajectoryErrors } from './errors.ts'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'trajectory',
  summary: 'The steps of a conversation: lists, figures, a stream, and exports that can be replayed',
  tag: {
    name: 'Trajectory',
    order: 44,
    description: 'The ledger of a thread: each step of its turns, with times, tokens and tool calls.',
  },
  depends: ['auth', 'agents', 'chat'],
  errors: trajectoryErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    trajectory: typeof manifest
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
