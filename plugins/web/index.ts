import { createGuardedFetch, type GuardedFetch, plugin } from '#kernel'
import { createWebFetch } from './web-fetch.ts'
import { createWebPages, type WebPages } from './web-pages.ts'

declare module '#kernel/types' {
  interface Services {
    webConnection: GuardedFetch
    webPages: WebPages
  }
}

export default plugin({
  name: 'web',
  summary: 'The tool with which agents read pages of the web',
  config: {
    allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
  },
  setup(host) {
    // A tool is declared before there are services; they come when the server starts.
    let pages: WebPages
    host.service('webConnection', ({ config }) =>
      createGuardedFetch({ allowHosts: (config as { allow_hosts: string[] }).allow_hosts }),
    )
    host.service('webPages', ({ webConnection, server }) =>
      createWebPages({ fetch: webConnection.fetch, version: server.version }),
    )
    host.on('server.starting', (_, cradle) => {
      pages = cradle.webPages
    })
    host.extend(
      'agents.tools',
      createWebFetch(() => pages),
    )
  },
  stop: ({ webConnection }) => webConnection.close(),
})
