import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { consoleErrors } from './errors.ts'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'console',
  summary: 'The web page for people',
  tag: {
    name: 'Console',
    order: 100,
    description: 'What the web page of this server reads before anybody has signed in.',
  },
  depends: ['auth'],
  config: {
    name: { type: 'string', minLength: 1, maxLength: 60, default: 'svc' },
    folder: { type: 'string', minLength: 1 },
  },
  errors: consoleErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    console: typeof manifest
  }
}

/** The cradle that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
