// Owns the record of server processes on a database, and the channel between them. Its messages only save time:
// every plugin also polls at long intervals.
import { definePlugin } from '#plugin-api'
import { manifest } from './manifest.ts'
import { connectNats, toNatsSettings } from './nats-transport.ts'
import { createNodes, type Nodes, nodeIndexes } from './nodes.ts'
import { createSignals, type Signals } from './signals.ts'
import './types.ts'

declare module '#kernel/types' {
  interface Services {
    signals: {
      nodes: Nodes
      signals: Signals
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('nodes', { indexes: nodeIndexes })
    host.collection('signals')
    host.provide('nodes', createNodes)
    host.provide('signals', createSignals)
    host.check('signals', async ({ config: { nats_url } }) => {
      if (nats_url === undefined) return 'several servers notify each other through the database'
      const connection = await connectNats(toNatsSettings(nats_url), 'svc doctor')
      const server = connection.getServer()
      await connection.close()
      return `several servers notify each other through NATS at ${server}`
    })
  },
  start: ({ signals }) => signals.start(),
  stop: ({ signals }) => signals.stop(),
})
