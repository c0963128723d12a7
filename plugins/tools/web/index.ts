import { createGuardedFetch, definePlugin, type GuardedFetch } from '#plugin-api'
import { brave } from './engines/brave.ts'
import { exa } from './engines/exa.ts'
import { jina } from './engines/jina.ts'
import { searxng } from './engines/searxng.ts'
import { serper } from './engines/serper.ts'
import { tavily } from './engines/tavily.ts'
import { manifest } from './manifest.ts'
import { type AccountSearches, createAccountSearches } from './search/account-searches.ts'
import { assertSearchEngine, createEngineKinds, type EngineKinds } from './search/engine-kinds.ts'
import { searchRoutes } from './search/routes.ts'
import { createSearchCounters, type SearchCounters } from './search/search-counters.ts'
import { createSearchSettings, type SearchSettings } from './search/search-settings.ts'
import { createWebSearches, type WebSearches } from './search/web-searches.ts'
import { createWebFetch } from './web-fetch.ts'
import { createWebPages, type WebPages } from './web-pages.ts'
import { createWebSearch } from './web-search.ts'
import './search/types.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    web: {
      webConnection: GuardedFetch
      webPages: WebPages
      engineKinds: EngineKinds
      searchSettings: SearchSettings
      searchCounters: SearchCounters
      webSearches: WebSearches
      accountSearches: AccountSearches
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('search_engines', { sealed: { secret_config: 'search_engine:{_id}' } })
    host.collection('search_settings')
    host.collection('search_counts')
    host.extensionPoint('web.search_engines', {
      noun: 'search engine',
      nameOf: ({ name }) => name,
      check: assertSearchEngine,
    })
    for (const engine of [searxng, brave, tavily, serper, exa, jina])
      host.extend('web.search_engines', engine)
    host.service('webConnection', ({ config }) => createGuardedFetch({ allowHosts: config.allow_hosts }))
    host.service('webPages', ({ webConnection, server }) =>
      createWebPages({ fetch: webConnection.fetch, version: server.version }),
    )
    host.service('engineKinds', createEngineKinds)
    host.service('searchSettings', createSearchSettings)
    host.service('searchCounters', createSearchCounters)
    host.service('webSearches', createWebSearches)
    host.service('accountSearches', createAccountSearches)
    host.routes(searchRoutes)
    host.extend('metrics.gauges', (_, { searchCounters }) => searchCounters.list())
    host.health(({ searchSettings }) => searchSettings.check())
    host.extend('users.removal', ({ user_id }, { accountSearches }) => accountSearches.forget(user_id))
    host.extend(
      'agents.tools',
      createWebSearch(() => host.cradle),
    )
    host.extend(
      'agents.tools',
      createWebFetch(() => host.cradle),
    )
  },
  stop: ({ webConnection }) => webConnection.close(),
})
