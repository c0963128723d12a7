// Serves the page for people, and tells it what runs here. The page itself is in `web/`, which Vite builds.
import { definePlugin } from '#plugin-api'
import { manifest } from './manifest.ts'
import { consolePage, isBuilt } from './page.ts'
import { consoleRoutes } from './routes.ts'
import { assertConsoleSlot, nameSlot } from './slot-form.ts'
import { slotModules } from './slots.ts'
import './types.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('console.slots', {
      noun: 'slot of the console',
      nameOf: nameSlot,
      check: assertConsoleSlot,
    })
    host.extensionPoint('console.sign_in', { noun: 'list of services to sign in with' })
    host.extensionPoint('console.currency', { noun: 'setting', nameOf: () => 'currency of the console' })
    host.pages(consolePage)
    host.pages(slotModules)
    host.routes(consoleRoutes)
  },
  ready(cradle, announce) {
    if (!isBuilt(cradle)) announce('page', 'not built; run "npm run build", then start again')
  },
})
