import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { agentErrors } from './errors.ts'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'agents',
  summary: 'Agents, their runtime and their workspaces',
  tag: {
    name: 'Agents',
    order: 20,
    description:
      'Create agents, change their settings and tools, start and stop them. The path takes the id of an agent, or the name of one of your own.',
  },
  depends: ['users', 'auth', 'providers'],
  errors: agentErrors,
  limits: {
    agents: { default: 100, description: 'Agents of an account' },
  },
  events: ['agent.changed', 'agent.deleted', 'agent.unshared'],
})

declare module '#kernel/types' {
  interface Manifests {
    agents: typeof manifest
  }
}

/** The services that factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
