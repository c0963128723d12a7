// Owns connectors and the credentials of accounts for them. Tools of connectors are lent to turns by `agents.lent_tools`.
import { definePlugin } from '#kernel'
import { createGuardedFetch, type GuardedFetch } from '#toolbox'
import { type Checks, createChecks } from './checks.ts'
import { type ConnectionPool, createConnectionPool } from './connections/pool.ts'
import { type Connectors, connectorIndexes, createConnectors } from './connectors.ts'
import { type Credentials, type CredentialsDocument, createCredentials } from './credentials/credentials.ts'
import { createTargets, type Targets } from './credentials/targets.ts'
import { assertConnectorKind } from './kinds/kind-form.ts'
import { type ConnectorKinds, createConnectorKinds } from './kinds/kinds.ts'
import { mcp } from './kinds/mcp.ts'
import { mcpStdio } from './kinds/mcp-stdio.ts'
import { type ConnectorConfigs, createConnectorConfigs } from './kinds/sealed-config.ts'
import { manifest } from './manifest.ts'
import { connectorRoutes } from './routes.ts'
import type { ConnectorDocument } from './types.ts'

declare module '#kernel/types' {
  interface Collections {
    connectors: {
      connectors: ConnectorDocument
      connector_credentials: CredentialsDocument
    }
  }
  interface PrivateServices {
    connectors: {
      connectorKinds: ConnectorKinds
      connectorConfigs: ConnectorConfigs
      connectors: Connectors
      credentials: Credentials
      targets: Targets
      checks: Checks
      connectionPool: ConnectionPool
      connectorFetch: GuardedFetch
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('connectors', { indexes: connectorIndexes, sealed: { secret_config: 'connector:{_id}' } })
    host.collection('connector_credentials', {
      indexes: [{ key: { connector_id: 1 } }, { key: { user_id: 1 } }],
      sealed: { sealed: 'connector-credentials:{_id}' },
    })
    host.extensionPoint('connectors.kinds', {
      noun: 'connector kind',
      nameOf: ({ kind }) => kind,
      check: assertConnectorKind,
    })
    for (const kind of [mcp, mcpStdio]) host.extend('connectors.kinds', kind)
    host.service('connectorKinds', createConnectorKinds)
    host.service('connectorConfigs', createConnectorConfigs)
    host.service('connectorFetch', ({ config }) => createGuardedFetch({ allowHosts: config.allow_hosts }))
    host.service('connectionPool', ({ config }) => createConnectionPool(config))
    host.service('credentials', createCredentials)
    host.service('targets', createTargets)
    host.service('checks', createChecks)
    host.service('connectors', createConnectors)
    host.limit('connectors', ({ connectors }, user_id) => connectors.count(user_id))
    host.routes(connectorRoutes)
    host.extend('users.removal', ({ user_id }, { connectors }) => connectors.removeAllOf(user_id))
  },
  async stop({ connectionPool, connectorFetch }) {
    await connectionPool.close()
    await connectorFetch.close()
  },
})
