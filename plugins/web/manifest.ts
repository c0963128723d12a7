import { defineManifest } from '#kernel'

/** What this plugin is. */
export const manifest = defineManifest({
  name: 'web',
  summary: 'The tool with which agents read pages of the web',
  config: {
    allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    web: typeof manifest
  }
}
