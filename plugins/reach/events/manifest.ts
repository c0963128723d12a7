import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'events',
  summary:
    'A stream of what changes for an account: threads, projects, prompts, memories, agents, knowledge bases, channels, connectors, approvals, usage, budgets',
  tag: {
    name: 'Events',
    order: 46,
    description: 'What changes for your account, as it happens.',
  },
  depends: ['users', 'auth', 'agents', 'chat', 'signals'],
  limits: {
    event_streams: { default: 32, description: 'Streams of what changes for an account that are open' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    events: typeof manifest
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
