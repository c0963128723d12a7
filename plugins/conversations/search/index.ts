import { definePlugin, measureCollections } from '#plugin-api'
import { manifest } from './manifest.ts'
import { searchRoutes } from './routes.ts'
import { createSearch, type Search } from './search.ts'
import { createSearchTool } from './search-tool.ts'
import { createSearchPages, pageIndexes, type SearchPageDocument, type SearchPages } from './store/pages.ts'
import { createUpkeep, type SearchStateDocument, type Upkeep } from './upkeep.ts'

declare module '#kernel/types' {
  interface Services {
    search: {
      search: Search
    }
  }
  interface Collections {
    search: {
      search_pages: SearchPageDocument
      search_state: SearchStateDocument
    }
  }
  interface PrivateServices {
    search: {
      searchPages: SearchPages
      upkeep: Upkeep
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('search_pages', { indexes: pageIndexes })
    host.collection('search_state')
    host.service('searchPages', ({ collections }) => createSearchPages(collections.search_pages))
    host.service('upkeep', createUpkeep)
    host.provide('search', createSearch)
    host.routes(searchRoutes)
    host.extend('chat.message_writes', (change, { searchPages }) => searchPages.toWrites(change))
    host.extend('backup.restored', (_, { upkeep }) => upkeep.reset())
    host.extend('overview.counts', async (_, { collections }) => ({
      bytes: { conversations: await measureCollections(collections.search_pages) },
    }))
    host.extend(
      'agents.tools',
      createSearchTool(() => host.cradle),
    )
    host.job({ name: 'search.upkeep', every_seconds: 60, run: ({ upkeep }, signal) => upkeep.run(signal) })
  },
})
