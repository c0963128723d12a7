import { definePlugin } from '#plugin-api'
import { createFailedRequests, type FailedRequests } from './failed-requests.ts'
import { manifest } from './manifest.ts'
import { createOverview, type Overview } from './overview.ts'
import { overviewCommand } from './overview-command.ts'
import { overviewRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    overview: { overview: Overview; failedRequests: FailedRequests }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('overview.counts', { noun: 'counts' })
    host.extensionPoint('overview.last_backup', { noun: 'time of the last backup' })
    host.service('overview', createOverview)
    host.service('failedRequests', createFailedRequests)
    host.extend('kernel.requests', ({ status }, { failedRequests }) => failedRequests.note(status))
    host.routes(overviewRoutes)
    host.command(overviewCommand)
  },
})
