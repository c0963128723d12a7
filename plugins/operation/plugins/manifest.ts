import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { pluginErrors } from './errors.ts'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'plugins',
  summary: 'Lets administrators configure, switch, install and remove plugins, and restart the server',
  tag: {
    name: 'Administration',
    order: 94,
    description: 'The server at a glance.',
  },
  depends: ['users', 'auth', 'scaffold'],
  config: {
    install: {
      type: 'boolean',
      default: false,
      operator: true,
      description: 'Let administrators install and remove packages over the API and in the console',
    },
  },
  errors: pluginErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    plugins: typeof manifest
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
