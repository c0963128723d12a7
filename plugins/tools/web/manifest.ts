import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { searchErrors } from './search/errors.ts'

/** The manifest of the web plugin. */
export const manifest = defineManifest({
  name: 'web',
  summary: 'The tools with which agents search the web and read its pages',
  tag: {
    name: 'Web search',
    order: 52,
    description: 'The search engines with which agents search the web, and the limit of searches.',
  },
  depends: ['auth', 'documents', 'providers', 'users'],
  config: {
    allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
    /** The time that a search engine has for its answer before the next one is asked. */
    search_seconds: { type: 'number', exclusiveMinimum: 0, maximum: 120, default: 10 },
  },
  errors: searchErrors,
})

declare module '#kernel/types' {
  interface Manifests {
    web: typeof manifest
  }
}

/** The services and settings of this plugin. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
