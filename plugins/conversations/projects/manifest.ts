import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'projects',
  summary: 'Projects: threads that belong together, with instructions and knowledge bases of their own',
  tag: {
    name: 'Projects',
    order: 41,
    description:
      'Threads of yours that belong together, with any agents. A project can be shared; threads in it stay private. The instructions and knowledge bases of a project apply to its threads at each turn.',
  },
  depends: ['users', 'auth', 'agents', 'chat'],
  limits: {
    projects: { default: 100, description: 'Projects of an account' },
  },
  events: ['project.changed'],
})

declare module '#kernel/types' {
  interface Manifests {
    projects: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
