// Serves the page for people, and tells it what runs here. The page itself is in `web/`, which Vite builds.
import { definePlugin } from '#plugin-api'
import { manifest } from './manifest.ts'
import { consolePage, isBuilt } from './page.ts'
import { assertConsolePage, pluginModules } from './plugin-pages.ts'
import { consoleRoutes } from './routes.ts'
import './types.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('console.page', {
      noun: 'page of the console',
      nameOf: ({ path }) => path,
      check: assertConsolePage,
    })
    host.extensionPoint('console.slots', {
      noun: 'slot of the console',
      nameOf: ({ slot, module }) => `${slot} ${module}`,
    })
    host.extensionPoint('console.sign_in', { noun: 'list of services to sign in with' })
    host.pages(consolePage)
    host.pages(pluginModules)
    host.routes(consoleRoutes)
  },
  ready(cradle, announce) {
    if (!isBuilt(cradle)) announce('page', 'not built; run "npm run build", then start again')
  },
})
