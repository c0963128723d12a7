import type { ConnectorTarget } from '#plugin-api'
import type { Cradle } from '../manifest.ts'
import type { ConnectorDocument } from '../types.ts'
import { audiencesOf } from './audiences.ts'
import { askAsClient } from './client-request.ts'
import type { CredentialsKey } from './credentials.ts'
import { type OAuthReply, type OAuthRequest, withOAuthRequest } from './oauth-request.ts'
import type { OAuthState } from './oauth-state.ts'
import { readRefusal } from './token-request.ts'

/** The time for the authorization server of an account to answer. */
const REVOCATION_SECONDS = 5
/** The most sign-ins of a connector that are revoked when it is removed. */
const MAX_REVOKED = 500

type HttpTarget = Extract<ConnectorTarget, { transport: 'http' }>

/** Ends sign-ins at the authorization servers that issued them. */
export type Revocation = ReturnType<typeof createRevocation>

/** Creates the service. */
export function createRevocation({
  collections: { connector_credentials, connectors },
  connectorConfigs,
  connectorFetch,
  connectorKinds,
  credentials,
  log,
}: Pick<
  Cradle,
  'collections' | 'connectorConfigs' | 'connectorFetch' | 'connectorKinds' | 'credentials' | 'log'
>) {
  const revoke = async (connector: ConnectorDocument, key: CredentialsKey) => {
    const kind = connectorKinds.find(connector.kind)
    const target = kind?.target(connectorConfigs.open(connector))
    const audiences = target && audiencesOf(target)
    if (target?.transport !== 'http' || !audiences) return
    const { oauth } = (await credentials.find(key, audiences)) ?? {}
    if (!oauth) return
    const parts = {
      fetch: connector.is_trusted ? fetch : connectorFetch.fetch,
      seconds: REVOCATION_SECONDS,
    }
    await withOAuthRequest(parts, (request) => revokeTokens(request, oauth, target))
  }

  const revokeAll = async (connector: ConnectorDocument, user_ids: readonly string[]) => {
    const connector_id = connector._id
    const ends = user_ids.map((user_id) => revoke(connector, { connector_id, user_id }))
    for (const end of await Promise.allSettled(ends))
      if (end.status === 'rejected')
        log.info({ error: end.reason, connector: connector_id }, 'a sign-in could not be revoked')
  }

  return {
    /** Revokes the tokens of an account, if its authorization server can; its failure is only logged. */
    end: (connector: ConnectorDocument, user_id: string): Promise<void> => revokeAll(connector, [user_id]),

    /** Revokes the tokens of an account for all connectors. */
    async endAllOf(user_id: string): Promise<void> {
      const stored = await connector_credentials
        .find({ user_id }, { projection: { connector_id: 1 } })
        .limit(MAX_REVOKED)
        .toArray()
      const ids = stored.map(({ connector_id }) => connector_id)
      const signedIn = await connectors.find({ _id: { $in: ids } }, { projection: { tools: 0 } }).toArray()
      await Promise.all(signedIn.map((connector) => revokeAll(connector as ConnectorDocument, [user_id])))
    },

    /** Revokes the tokens of all accounts for a connector. */
    async endAll(connector: ConnectorDocument): Promise<void> {
      const stored = await connector_credentials
        .find({ connector_id: connector._id }, { projection: { user_id: 1 } })
        .limit(MAX_REVOKED)
        .toArray()
      await revokeAll(
        connector,
        stored.map(({ user_id }) => user_id),
      )
    },
  }
}

/** Revokes tokens as RFC 7009 describes; does nothing if the server's metadata names no endpoint. */
async function revokeTokens(
  request: OAuthRequest,
  { client: registered, discovery, tokens }: OAuthState,
  { client = registered }: HttpTarget,
): Promise<void> {
  const server = discovery?.authorizationServerMetadata
  if (!server?.revocation_endpoint || !tokens || !client) return
  const { revocation_endpoint, token_endpoint_auth_methods_supported } = server
  const methods = server.revocation_endpoint_auth_methods_supported ?? token_endpoint_auth_methods_supported
  // Ending the refresh token ends the whole grant with most servers; some do not know it.
  for (const token_type_hint of ['refresh_token', 'access_token'] as const) {
    const token = tokens[token_type_hint]
    const form = { token, token_type_hint }
    if (token !== undefined)
      await askAsClient(request, revocation_endpoint, { client, methods, form }, assertRevoked)
  }
}

function assertRevoked(reply: OAuthReply, secrets: readonly string[]): void {
  if (reply.status < 200 || reply.status >= 300) throw readRefusal(reply, 'refused', secrets)
}
