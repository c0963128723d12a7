// Owns connectors and the credentials of accounts for them. Tools of connectors are lent to turns by `agents.lent_tools`.
import {
  AppError,
  createDeclarable,
  createGuardedFetch,
  createSealedConfigs,
  createShareable,
  definePlugin,
  type GuardedFetch,
  grantRoutes,
  listNames,
  managedIndex,
  type SealedConfigs,
} from '#plugin-api'
import { type AccessLosses, createAccessLosses } from './access-losses.ts'
import {
  type AgentConnectors,
  type AgentConnectorsDocument,
  createAgentConnectors,
} from './agent-connectors.ts'
import { type Checks, createChecks } from './checks.ts'
import { type Breaker, createBreaker } from './connections/breaker.ts'
import { type ConnectionPool, createConnectionPool } from './connections/pool.ts'
import { type Connectors, connectorIndexes, createConnectors } from './connectors.ts'
import { type CredentialAudiences, createCredentialAudiences } from './credentials/audiences.ts'
import { type Credentials, type CredentialsDocument, createCredentials } from './credentials/credentials.ts'
import { createRevocation, type Revocation } from './credentials/revocation.ts'
import { createSignIns, type SignInDocument, type SignIns } from './credentials/sign-ins.ts'
import { createTargets, type Targets } from './credentials/targets.ts'
import { assertConnectorKind, type ConnectorKinds, createConnectorKinds } from './kinds/kinds.ts'
import { mcp } from './kinds/mcp.ts'
import { mcpStdio } from './kinds/mcp-stdio.ts'
import { presets } from './kinds/presets.ts'
import { manifest } from './manifest.ts'
import { agentConnectorRoutes, connectorRoutes } from './routes.ts'
import { credentialRoutes, signInRoutes } from './sign-in-routes.ts'
import { type Calls, createCalls } from './tools/calls.ts'
import { createLentConnectors, type LentConnectors } from './tools/lent-tools.ts'
import type { ConnectorDocument } from './types.ts'
import { createUsable, type Usable } from './usable.ts'
import { createWaitingTurns, type WaitingTurns } from './waiting-turns.ts'

/** The time for which turns wait for a person by default. */
const DAY_SECONDS = 86_400

declare module '#kernel/types' {
  interface Collections {
    connectors: {
      connectors: ConnectorDocument
      connector_credentials: CredentialsDocument
      agent_connectors: AgentConnectorsDocument
      connector_sign_ins: SignInDocument
    }
  }
  interface PrivateServices {
    connectors: {
      connectorKinds: ConnectorKinds
      connectorConfigs: SealedConfigs
      connectors: Connectors
      credentialAudiences: CredentialAudiences
      credentials: Credentials
      revocation: Revocation
      targets: Targets
      checks: Checks
      connectionPool: ConnectionPool
      breaker: Breaker
      calls: Calls
      agentConnectors: AgentConnectors
      lentConnectors: LentConnectors
      usable: Usable
      accessLosses: AccessLosses
      waitingTurns: WaitingTurns
      signIns: SignIns
      /** The address to which authorization servers send browsers back; null without a public address. */
      redirectUri: string | null
      connectorFetch: GuardedFetch
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('connectors', {
      indexes: [...connectorIndexes, managedIndex],
      sealed: { secret_config: 'connector:{_id}' },
    })
    host.collection('connector_credentials', {
      indexes: [{ key: { connector_id: 1 } }, { key: { user_id: 1 } }, { key: { updated_at: 1 } }],
      sealed: { sealed: 'connector-credentials:{_id}' },
    })
    host.collection('connector_sign_ins', {
      indexes: [
        { key: { delete_at: 1 }, expireAfterSeconds: 0 },
        { key: { connector_id: 1 } },
        { key: { user_id: 1 } },
      ],
      sealed: { sealed: 'connector-sign-in:{_id}' },
    })
    host.collection('agent_connectors', { indexes: [{ key: { 'connectors.id': 1 } }] })
    host.extensionPoint('connectors.kinds', {
      noun: 'connector kind',
      nameOf: ({ kind }) => kind,
      check: assertConnectorKind,
    })
    for (const kind of [mcp, mcpStdio, ...presets]) host.extend('connectors.kinds', kind)
    host.service('connectorKinds', createConnectorKinds)
    host.service('connectorConfigs', (cradle) => createSealedConfigs('connector', cradle))
    host.service('connectorFetch', ({ config }) => createGuardedFetch({ allowHosts: config.allow_hosts }))
    host.service('connectionPool', ({ config }) => createConnectionPool(config))
    host.service('breaker', createBreaker)
    host.service('credentialAudiences', createCredentialAudiences)
    host.service('credentials', createCredentials)
    host.service('revocation', createRevocation)
    host.service('targets', createTargets)
    host.service('checks', createChecks)
    host.service('connectors', createConnectors)
    host.service('calls', createCalls)
    host.service('agentConnectors', createAgentConnectors)
    host.service('lentConnectors', createLentConnectors)
    host.service('signIns', createSignIns)
    host.service('redirectUri', ({ server }) =>
      server.public_url === undefined
        ? null
        : `${server.public_url.replace(/\/+$/, '')}/api/connectors/oauth/callback`,
    )
    host.service('usable', createUsable)
    host.service('accessLosses', createAccessLosses)
    host.service('waitingTurns', createWaitingTurns)
    host.limit('connectors', ({ connectors }, user_id) => connectors.count(user_id))
    host.routes([...connectorRoutes, ...agentConnectorRoutes, ...credentialRoutes, ...signInRoutes])
    host.routes(
      grantRoutes({
        kind: 'connector',
        path: '/connectors/:id',
        title: 'Connector',
        noun: 'a connector',
        missing: 'NOT_FOUND',
      }),
    )
    host.on('approval.requested', (paused, { waitingTurns }) => waitingTurns.look(paused))
    host.on('user.changed', ({ user_id }, { accessLosses }) => accessLosses.ofAccounts([user_id]))
    host.on('group.changed', ({ user_ids }, { accessLosses }) => accessLosses.ofAccounts(user_ids))
    host.on('connector.changed', (_, { lentConnectors }) => lentConnectors.forget())
    host.extend('agents.lent_tools', async (offer, { lentConnectors, log }) => {
      try {
        return await lentConnectors.lend(offer)
      } catch (error) {
        if (error instanceof AppError) throw error
        log.error({ error }, 'connectors could not lend their tools')
        return { tools: [], always: [], never: [] }
      }
    })
    host.job({
      name: 'connectors.waiting',
      every_seconds: 60,
      run: ({ waitingTurns }) => waitingTurns.recover(),
    })
    host.extend('agents.removal', ({ agent_id }, { agentConnectors }) => agentConnectors.remove(agent_id))
    host.extend('audit.names', ({ ids }, { collections }) =>
      listNames(collections.connectors, ids, { kind: 'connector', field: 'name' }),
    )
    host.extend('users.removal', ({ user_id }, { connectors }) => connectors.removeAllOf(user_id))
    host.extend(
      'groups.shareables',
      createShareable<ConnectorDocument>({
        name: 'connector',
        label: { en: 'Connector', zh: '连接器' },
        access: ['use', 'edit'],
        is_open: ({ owner_id }) => owner_id === null,
        collection: () => host.cradle.collections.connectors,
        owner: 'owner_id',
        nameOf: ({ name }) => name,
        find: (caller, key) => host.cradle.connectors.findShareable(caller, key),
        changed: (former, current) => host.cradle.connectors.noteGrants(former, current),
      }),
    )
    host.extend(
      'declared.kinds',
      createDeclarable({ name: 'connector', collection: () => host.cradle.collections.connectors }),
    )
  },
  ready: ({ waitingTurns }) => waitingTurns.recover(DAY_SECONDS),
  async stop({ connectionPool, connectorFetch }) {
    await connectionPool.close()
    await connectorFetch.close()
  },
})
