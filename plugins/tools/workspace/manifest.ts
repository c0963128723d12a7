import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { workspaceErrors } from './errors.ts'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'workspace',
  depends: ['agents', 'auth', 'users'],
  summary: 'The files of agents: an API for users, and tools for agents',
  tag: {
    name: 'Files',
    order: 30,
    description: 'The files of an agent’s workspace. Paths are relative to it; a leading slash is ignored.',
  },
  errors: workspaceErrors,
  limits: {
    workspace_bytes: { default: '1gb', description: 'Files of an agent' },
    account_bytes: { default: '5gb', description: 'Files of all agents of an account' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    workspace: typeof manifest
  }
}

/** The services that factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
