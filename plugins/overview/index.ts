import { definePlugin } from '#kernel'
import { createNodes, type Nodes, nodeIndexes } from './nodes.ts'
import { createOverview, type Overview } from './overview.ts'
import { overviewCommand } from './overview-command.ts'
import { overviewRoutes } from './routes.ts'
import './types.ts'
import { manifest } from './manifest.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    overview: {
      nodes: Nodes
      overview: Overview
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('overview.counts', { noun: 'counts', formerly: 'overview.read' })
    host.collection('nodes', { indexes: nodeIndexes })
    host.service('nodes', createNodes)
    host.service('overview', createOverview)
    host.routes(overviewRoutes)
    host.command(overviewCommand)
  },
  start: ({ nodes }) => nodes.start(),
  stop: ({ nodes }) => nodes.stop(),
})
