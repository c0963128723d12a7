import type { ConnectorTarget } from '#plugin-api'
import { ConnectorFailure } from '../connections/failure.ts'
import type { Cradle } from '../manifest.ts'
import type { ConnectorDocument } from '../types.ts'
import { audiencesOf } from './audiences.ts'
import { MissingCredentials } from './challenge.ts'
import { createTokenAuth, type TokenAuth } from './token-auth.ts'

/** A server with the credentials that one account may use. */
export interface AccountTarget {
  target: ConnectorTarget
  /** Names the settings and credentials: connections with different ones are not shared. */
  stamp: string
  auth?: TokenAuth
}

/** Finds the servers of connectors, each for one account. */
export type Targets = ReturnType<typeof createTargets>

/** Creates the service. */
export function createTargets({
  config,
  connectorConfigs,
  connectorFetch,
  connectorKinds,
  credentials,
}: Cradle) {
  return {
    /** Throws MissingCredentials, and a ConnectorFailure if the account may not use the connector at all. */
    async of(connector: ConnectorDocument, user_id: string): Promise<AccountTarget> {
      const { _id: connector_id, kind, scope, owner_id, revision } = connector
      const knownKind = connectorKinds.get(kind)
      const target = knownKind.target(connectorConfigs.open(connector))
      const isTheirs = scope === 'global' || owner_id === user_id
      if (target.transport === 'stdio') {
        if (isTheirs) return { target, stamp: String(revision) }
        throw new ConnectorFailure('forbidden', 'Only its owner can use this program.')
      }
      const audiences = audiencesOf(target)
      const own = audiences && (await credentials.find({ connector_id, user_id }, audiences))
      const { headers = {}, ...server } = target
      const fields = Object.keys(headers)
      if (!isTheirs && fields.length > 0 && !own?.headers) throw new MissingCredentials({ fields })
      const sent = { ...(isTheirs && headers), ...own?.headers }
      const accountTarget = {
        target: { ...server, headers: sent },
        stamp: `${revision}.${own?.generation ?? 0}`,
      }
      if (knownKind.auth !== 'oauth' || !audiences || Object.keys(sent).length > 0) return accountTarget
      const auth = createTokenAuth({ connector_id, user_id }, own, {
        target: server,
        audiences,
        fetch: connector.is_trusted ? fetch : connectorFetch.fetch,
        credentials,
        seconds: config.connect_seconds,
      })
      return { ...accountTarget, auth }
    },
  }
}
