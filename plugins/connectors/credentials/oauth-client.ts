import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { ConnectorTarget } from '#plugin-api'

type HttpTarget = Extract<ConnectorTarget, { transport: 'http' }>

/** The parts of a sign-in that are kept: the client, the servers that were found, the verifier, the tokens. */
export interface OAuthState {
  client?: StoredOAuthClientInformation
  /** The authorization server that a client entered by hand was first used with, and is used with from then on. */
  issuer?: string
  discovery?: OAuthDiscoveryState
  verifier?: string
  /** The scopes that were asked for last. */
  scope?: string
  tokens?: StoredOAuthTokens
}

/** A client of an authorization server for one sign-in, which notes in `state` all that must be kept. */
export interface OAuthClient {
  provider: OAuthClientProvider
  state: OAuthState
  /** The address to which the person must go, once the library has made it. */
  location(): URL | undefined
}

/** Creates the client; `challenge` is the state of the authorization request, if one may be made. */
export function createOAuthClient(
  { client: entered }: HttpTarget,
  { redirect_uri, challenge, kept = {} }: { redirect_uri: string; challenge?: string; kept?: OAuthState },
): OAuthClient {
  const state: OAuthState = { ...kept }
  let location: URL | undefined
  const provider: OAuthClientProvider = {
    redirectUrl: redirect_uri,
    clientMetadata: {
      client_name: 'Agent Platform Service',
      redirect_uris: [redirect_uri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    ...(challenge !== undefined && { state: () => challenge }),
    clientInformation(context) {
      if (!entered) return state.client
      state.issuer ??= context?.issuer
      return { ...entered, issuer: state.issuer }
    },
    ...(!entered && {
      saveClientInformation(client: StoredOAuthClientInformation) {
        state.client = client
      },
    }),
    tokens: () => state.tokens,
    saveTokens(tokens) {
      // A server that does not rotate its refresh token does not send it again.
      state.tokens = {
        ...(state.tokens?.refresh_token && { refresh_token: state.tokens.refresh_token }),
        ...tokens,
        // An authorization server may leave out the scopes if they are those that were asked for.
        ...((tokens.scope ?? state.scope) !== undefined && { scope: tokens.scope ?? state.scope }),
      }
    },
    redirectToAuthorization(url) {
      location = url
      state.scope = url.searchParams.get('scope') ?? undefined
    },
    saveCodeVerifier(verifier) {
      state.verifier = verifier
    },
    codeVerifier: () => state.verifier ?? '',
    saveDiscoveryState(discovery) {
      state.discovery = discovery
    },
    discoveryState: () => state.discovery,
    invalidateCredentials(scope) {
      if (scope === 'all' || scope === 'client') state.client = undefined
      if (scope === 'all' || scope === 'tokens') state.tokens = undefined
      if (scope === 'all' || scope === 'discovery') state.discovery = undefined
    },
  }
  return { provider, state, location: () => location }
}
