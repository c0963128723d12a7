import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { polishErrors } from './errors.ts'

/** The manifest of the polish plugin. */
export const manifest = defineManifest({
  name: 'polish',
  summary: 'Improves prompts before they are sent',
  tag: {
    name: 'Prompts',
    order: 42,
    description: 'Texts that start a conversation, and improved wording for your own.',
  },
  depends: ['auth', 'providers', 'agents', 'chat'],
  config: {
    max_seconds: { type: 'integer', minimum: 1, maximum: 600, default: 30 },
  },
  errors: polishErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    polish: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
