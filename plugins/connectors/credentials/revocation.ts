import type { CustomFetch, ServerMetadata } from 'openid-client'
import type { ConnectorTarget } from '#plugin-api'
import { withDeadline } from '#toolbox'
import { boundedFetch } from '../connections/bounded-fetch.ts'
import type { Cradle } from '../manifest.ts'
import type { ConnectorDocument } from '../types.ts'
import { audiencesOf } from './audiences.ts'
import type { CredentialsKey } from './credentials.ts'
import type { OAuthState } from './oauth-state.ts'

/** The time for the authorization servers of all accounts of a connector to answer, in milliseconds. */
const REVOCATION_MS = 5000
/** The most bytes of a server's answer. */
const MAX_REPLY_BYTES = 64 * 1024
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
  const revoke = async (connector: ConnectorDocument, key: CredentialsKey, signal: AbortSignal) => {
    const kind = connectorKinds.find(connector.kind)
    const target = kind?.target(connectorConfigs.open(connector))
    const audiences = target && audiencesOf(target)
    if (target?.transport !== 'http' || !audiences) return
    const found = await credentials.find(key, audiences)
    if (!found?.oauth) return
    const ask = connector.is_trusted ? fetch : connectorFetch.fetch
    await revokeTokens(
      found.oauth,
      target,
      boundedFetch((url, init) => ask(url, { ...init, signal }), MAX_REPLY_BYTES),
    )
  }

  const revokeAll = (connector: ConnectorDocument, user_ids: readonly string[]) =>
    withDeadline(REVOCATION_MS, [], async (signal) => {
      const connector_id = connector._id
      const ends = user_ids.map((user_id) => revoke(connector, { connector_id, user_id }, signal))
      for (const end of await Promise.allSettled(ends))
        if (end.status === 'rejected')
          log.info({ error: end.reason, connector: connector_id }, 'a sign-in could not be revoked')
    })

  return {
    /** Revokes the tokens of an account, if its authorization server can; its failure is only logged. */
    end: (connector: ConnectorDocument, user_id: string): Promise<void> => revokeAll(connector, [user_id]),

    /** Revokes the tokens of an account for all connectors. */
    async endAllOf(user_id: string): Promise<void> {
      const found = await connector_credentials
        .find({ user_id }, { projection: { connector_id: 1 } })
        .limit(MAX_REVOKED)
        .toArray()
      const ids = found.map(({ connector_id }) => connector_id)
      const signedIn = await connectors.find({ _id: { $in: ids } }, { projection: { tools: 0 } }).toArray()
      await Promise.all(signedIn.map((connector) => revokeAll(connector as ConnectorDocument, [user_id])))
    },

    /** Revokes the tokens of all accounts for a connector. */
    async endAll(connector: ConnectorDocument): Promise<void> {
      const found = await connector_credentials
        .find({ connector_id: connector._id }, { projection: { user_id: 1 } })
        .limit(MAX_REVOKED)
        .toArray()
      await revokeAll(
        connector,
        found.map(({ user_id }) => user_id),
      )
    },
  }
}

/** Revokes tokens as RFC 7009 describes; does nothing if the server's metadata names no endpoint. */
async function revokeTokens(
  { client: registered, discovery, tokens }: OAuthState,
  { client = registered }: HttpTarget,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
): Promise<void> {
  const metadata = discovery?.authorizationServerMetadata
  if (!metadata?.revocation_endpoint || !tokens || !client) return
  const library = await import('openid-client')
  const { client_id, client_secret } = client
  const { revocation_endpoint_auth_methods_supported: methods } = metadata
  const authenticate =
    client_secret === undefined
      ? library.None()
      : methods?.includes('client_secret_post')
        ? library.ClientSecretPost(client_secret)
        : library.ClientSecretBasic(client_secret)
  const config = new library.Configuration(metadata as ServerMetadata, client_id, client_secret, authenticate)
  config[library.customFetch] = fetch as CustomFetch
  // An administrator may have chosen a server without encryption.
  library.allowInsecureRequests(config)
  const { refresh_token, access_token } = tokens
  // Ending the refresh token ends the whole grant with most servers; some do not know it.
  if (refresh_token !== undefined)
    await library.tokenRevocation(config, refresh_token, { token_type_hint: 'refresh_token' })
  await library.tokenRevocation(config, access_token, { token_type_hint: 'access_token' })
}
