import { type Cradle as CradleOf, defineManifest } from '#plugin-api'

/** The manifest of the web plugin. */
export const manifest = defineManifest({
  name: 'web',
  summary: 'The tool with which agents read web pages',
  depends: ['documents'],
  config: {
    allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    web: typeof manifest
  }
}

/** The services of this plugin. */
export type Cradle = CradleOf<typeof manifest>
