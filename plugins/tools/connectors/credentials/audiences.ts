import { type ConnectorTarget, placeOf } from '#plugin-api'
import type { KnownKind } from '../kinds/kinds.ts'
import type { Cradle } from '../manifest.ts'
import type { ConnectorDocument } from '../types.ts'

/** The places to which credentials that accounts have entered for a server may be sent. */
export interface Audiences {
  /** The place of headers, such as `https://api.example.com`. */
  origin: string
  /** The place of tokens: the address of the server without a fragment. */
  resource: string
}

/** Returns the audiences of credentials for a server; undefined for a program. */
export function audiencesOf(target: ConnectorTarget): Audiences | undefined {
  if (target.transport !== 'http' || !URL.canParse(target.url)) return undefined
  const url = new URL(target.url)
  url.hash = ''
  return { origin: url.origin, resource: url.href }
}

/** Finds the audiences of connectors. */
export type CredentialAudiences = ReturnType<typeof createCredentialAudiences>

/** Creates the service. */
export function createCredentialAudiences({
  connectorConfigs,
  connectorKinds,
}: Pick<Cradle, 'connectorConfigs' | 'connectorKinds'>) {
  return {
    /** Returns undefined if a connector leads to a program, or its kind does not exist any more. */
    of(connector: ConnectorDocument): Audiences | undefined {
      const kind = connectorKinds.find(connector.kind)
      return kind && audiencesOf(kind.target(connectorConfigs.open(connector)))
    },
  }
}

/**
 * Returns a text that names all to which a connector sends the secrets of its config: they are entered anew if it
 * changes.
 */
export function destinationOf(kind: KnownKind, config: Record<string, unknown>): string {
  const target = kind.target(config)
  const { addresses = [] } = kind
  const others = addresses.map((name) => placeOf(config[name]))
  const server = target.transport === 'http' ? [placeOf(target.url)] : [target.command, ...target.args]
  return JSON.stringify([kind.kind, server, others])
}
