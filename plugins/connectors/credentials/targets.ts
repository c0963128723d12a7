import type { AuthProvider } from '@modelcontextprotocol/client'
import type { ConnectorTarget } from '#plugin-api'
import { ConnectorFailure } from '../connections/failure.ts'
import type { Cradle } from '../manifest.ts'
import type { ConnectorDocument } from '../types.ts'

/** A server as it is asked for one account: with the credentials that are that account's to use, and no others. */
export interface AccountTarget {
  target: ConnectorTarget
  /** Names the settings and credentials: connections with different ones are not shared. */
  stamp: string
  auth?: AuthProvider
}

/** The credentials that an account lacks: the names of headers to enter. */
export class MissingCredentials extends ConnectorFailure {
  readonly fields: readonly string[]

  constructor(fields: readonly string[]) {
    super('unauthorized', 'Credentials of your own are needed for this connector.')
    this.fields = fields
  }
}

/** Finds the servers of connectors, each for one account. */
export type Targets = ReturnType<typeof createTargets>

/** Creates the service. */
export function createTargets({ connectorConfigs, connectorKinds, credentials }: Cradle) {
  return {
    /** Throws MissingCredentials, and a ConnectorFailure if the account may not use the connector at all. */
    async of(connector: ConnectorDocument, user_id: string): Promise<AccountTarget> {
      const { _id: connector_id, kind, scope, owner_id, revision } = connector
      const target = connectorKinds.get(kind).target(connectorConfigs.open(connector))
      const isTheirs = scope === 'global' || owner_id === user_id
      if (target.transport === 'stdio') {
        if (isTheirs) return { target, stamp: String(revision) }
        throw new ConnectorFailure('forbidden', 'Only its owner can use this program.')
      }
      const own = await credentials.find({ connector_id, user_id })
      const { headers = {}, ...server } = target
      const fields = Object.keys(headers)
      if (!isTheirs && fields.length > 0 && !own?.headers) throw new MissingCredentials(fields)
      const sent = { ...(isTheirs && headers), ...own?.headers }
      return { target: { ...server, headers: sent }, stamp: `${revision}.${own?.revision ?? 0}` }
    },
  }
}
