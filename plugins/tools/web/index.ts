import { createGuardedFetch, definePlugin, type GuardedFetch } from '#plugin-api'
import { manifest } from './manifest.ts'
import { createWebFetch } from './web-fetch.ts'
import { createWebPages, type WebPages } from './web-pages.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    web: {
      webConnection: GuardedFetch
      webPages: WebPages
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.service('webConnection', ({ config }) => createGuardedFetch({ allowHosts: config.allow_hosts }))
    host.service('webPages', ({ webConnection, server }) =>
      createWebPages({ fetch: webConnection.fetch, version: server.version }),
    )
    host.extend(
      'agents.tools',
      createWebFetch(() => host.cradle),
    )
  },
  stop: ({ webConnection }) => webConnection.close(),
})
