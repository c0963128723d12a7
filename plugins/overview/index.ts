import { plugin } from '#kernel'
import { createNodes, type Nodes, nodeIndexes } from './nodes.ts'
import { createOverview, type Overview } from './overview.ts'
import { overviewCommand } from './overview-command.ts'
import { overviewRoutes } from './routes.ts'
import './types.ts'

declare module '#kernel/types' {
  interface Services {
    nodes: Nodes
    overview: Overview
  }
}

export default plugin({
  name: 'overview',
  summary: 'The service at a glance, and the server processes that it runs on',
  depends: ['users', 'auth'],
  setup(host) {
    host.collection('nodes', { indexes: nodeIndexes })
    host.service('nodes', createNodes)
    host.service('overview', createOverview)
    host.routes(overviewRoutes)
    host.command(overviewCommand)
  },
  start: ({ nodes }) => nodes.start(),
  stop: ({ nodes }) => nodes.stop(),
})
