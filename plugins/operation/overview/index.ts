import { definePlugin } from '#kernel'
import { manifest } from './manifest.ts'
import { createOverview, type Overview } from './overview.ts'
import { overviewCommand } from './overview-command.ts'
import { overviewRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    overview: { overview: Overview }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('overview.counts', { noun: 'counts' })
    host.service('overview', createOverview)
    host.routes(overviewRoutes)
    host.command(overviewCommand)
  },
})
