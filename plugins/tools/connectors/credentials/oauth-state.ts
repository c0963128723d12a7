/** A client at an authorization server. */
export interface OAuthClient {
  client_id: string
  client_secret?: string
  /** Unix seconds; missing if the secret does not expire. */
  client_secret_expires_at?: number
  token_endpoint_auth_method?: string
  /** The authorization server that registered it. */
  issuer?: string
  /** The address that it was registered for. */
  redirect_uri?: string
}

/** The metadata of an authorization server that are used, as RFC 8414 names them. */
export interface AuthorizationServer {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  registration_endpoint?: string
  revocation_endpoint?: string
  /** Present only if authorization requests must be pushed to it (RFC 9126). */
  pushed_authorization_request_endpoint?: string
  token_endpoint_auth_methods_supported?: string[]
  revocation_endpoint_auth_methods_supported?: string[]
  scopes_supported?: string[]
  authorization_response_iss_parameter_supported?: boolean
}

/** The servers that a sign-in was begun with. */
export interface Discovery {
  authorizationServerMetadata: AuthorizationServer
  /** True if no metadata were found. */
  is_assumed?: true
  /** The resource as the server names itself; missing if it does not. */
  resource?: string
  /** The scopes that the server names. */
  scopes?: string[]
}

/** The tokens of a sign-in. */
export interface OAuthTokens {
  access_token: string
  refresh_token?: string
  scope?: string
}

/** The stored parts of a sign-in: the client, the servers, the verifier, the tokens. */
export interface OAuthState {
  client?: OAuthClient
  discovery?: Discovery
  verifier?: string
  /** The scopes that were asked for last. */
  scope?: string
  tokens?: OAuthTokens
}
