import { createHash, randomBytes } from 'node:crypto'
import type { ConnectorTarget } from '#plugin-api'
import { type Challenge, joinScopes } from './challenge.ts'
import { askAsClient, type OAuthForm } from './client-request.ts'
import { discover, findAuthorizationServer, isSameIssuer } from './discovery.ts'
import { type OAuthRequest, readText } from './oauth-request.ts'
import type { AuthorizationServer, Discovery, OAuthClient, OAuthState } from './oauth-state.ts'
import { registerClient } from './registration.ts'
import { SignInFailure } from './sign-in-failure.ts'
import { readRefusal, requestTokens } from './token-request.ts'

type HttpTarget = Extract<ConnectorTarget, { transport: 'http' }>

const OFFLINE = 'offline_access'

/** The most characters of the parts of a sign-in that are stored. */
const MAX_STATE_CHARS = 128 * 1024

/** The fields of an authorization request. */
interface AuthorizationParts {
  redirect_uri: string
  state: string
  challenge: Challenge
  /** The scope to ask for; without it, the scopes that the server names. */
  scope: string | undefined
  /** The client of an earlier sign-in. */
  client: OAuthClient | undefined
  /** The only issuer to which the secret of an entered client may be sent; undefined before its first sign-in. */
  client_issuer: string | undefined
  /** Unix seconds. */
  now: number
}

/** Finds the authorization server and a client; returns the page of the sign-in and its state until the end. */
export async function beginAuthorization(
  request: OAuthRequest,
  target: HttpTarget,
  {
    redirect_uri,
    state,
    challenge,
    scope: askedScope,
    client: earlier,
    client_issuer,
    now,
  }: AuthorizationParts,
): Promise<{ url: URL; kept: OAuthState }> {
  const discovery = await discover(request, target.url, challenge.resource_metadata_url)
  const server = discovery.authorizationServerMetadata
  assertClientIssuer(server, client_issuer)
  const scope = chooseScope(askedScope, discovery)
  const registered = earlier && isUsable(earlier, server, redirect_uri, now) ? earlier : undefined
  const client =
    target.client ?? registered ?? (await registerAt(request, discovery, { redirect_uri, scope }))
  const verifier = randomBytes(32).toString('base64url')
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    redirect_uri,
    state,
    scope,
    // OpenID Connect ignores the scope for refresh tokens unless the person is asked.
    prompt: scope?.split(' ').includes(OFFLINE) ? 'consent' : undefined,
    resource: resourceOf(target, discovery),
  }
  const { client_id } = client
  const request_uri = await pushRequest(request, server, client, parameters)
  const url = new URL(server.authorization_endpoint)
  for (const [name, value] of Object.entries(
    request_uri === undefined ? parameters : { client_id, request_uri },
  ))
    if (value !== undefined) url.searchParams.set(name, value)
  const attemptState = withinBounds({
    ...(!target.client && { client }),
    discovery,
    verifier,
    ...(scope !== undefined && { scope }),
  })
  return { url, kept: attemptState }
}

/** Registers a client. Throws SignInFailure, which says so if nothing describes a sign-in at all. */
async function registerAt(
  request: OAuthRequest,
  { authorizationServerMetadata: server, is_assumed }: Discovery,
  parts: Parameters<typeof registerClient>[2],
): Promise<OAuthClient> {
  try {
    return await registerClient(request, server, parts)
  } catch (error) {
    const isRefused = error instanceof SignInFailure && error.fault === 'registration'
    if (!is_assumed || !isRefused) throw error
    throw new SignInFailure('metadata', 'The server does not describe a sign-in.', { cause: error })
  }
}

/** Pushes an authorization request to a server that demands it; returns the name under which the server keeps it. */
async function pushRequest(
  request: OAuthRequest,
  {
    pushed_authorization_request_endpoint: endpoint,
    token_endpoint_auth_methods_supported: methods,
  }: AuthorizationServer,
  client: OAuthClient,
  form: OAuthForm,
): Promise<string | undefined> {
  if (endpoint === undefined) return undefined
  return askAsClient(request, endpoint, { client, methods, form }, (reply, secrets) => {
    const request_uri = readText(reply.body?.request_uri)
    if (reply.status >= 300 || request_uri === undefined) throw readRefusal(reply, 'refused', secrets)
    return request_uri
  })
}

/** Exchanges the code of a callback for tokens. Throws SignInFailure. */
export async function redeemCode(
  request: OAuthRequest,
  target: HttpTarget,
  {
    kept: attemptState,
    code,
    issuers,
    redirect_uri,
  }: {
    kept: OAuthState
    code: string
    /** The values of the parameter `iss`. */
    issuers: readonly string[]
    redirect_uri: string
  },
): Promise<OAuthState> {
  const { verifier, ...state } = attemptState
  assertIssuers(state.discovery!.authorizationServerMetadata, issuers)
  return completeState(request, target, state, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri,
  })
}

/** Refreshes tokens, also at a token endpoint that has moved. Throws SignInFailure. */
export async function refreshTokens(
  request: OAuthRequest,
  target: HttpTarget,
  state: OAuthState,
): Promise<OAuthState> {
  const grant = { grant_type: 'refresh_token', refresh_token: state.tokens!.refresh_token }
  try {
    return await completeState(request, target, state, grant)
  } catch (error) {
    const discovery = isGone(error) ? await rediscover(request, state.discovery!) : undefined
    if (!discovery) throw error
    return completeState(request, target, { ...state, discovery }, grant)
  }
}

/** The statuses of an endpoint that has moved. */
const GONE_STATUSES = [301, 308, 404, 410]

const isGone = (error: unknown): boolean =>
  error instanceof SignInFailure && error.code === undefined && GONE_STATUSES.includes(error.status ?? 0)

/** Reads the metadata of the same issuer again; undefined if they do not name another token endpoint. */
async function rediscover(request: OAuthRequest, discovery: Discovery): Promise<Discovery | undefined> {
  const { issuer, token_endpoint } = discovery.authorizationServerMetadata
  const server = await findAuthorizationServer(request, issuer)
  return server && server.token_endpoint !== token_endpoint
    ? { ...discovery, authorizationServerMetadata: server }
    : undefined
}

/** Throws SignInFailure if the answer comes from another issuer, as in an attack that mixes servers up (RFC 9207). */
export function assertIssuers(server: AuthorizationServer, issuers: readonly string[]): void {
  const isMissing = issuers.length === 0 && server.authorization_response_iss_parameter_supported === true
  if (isMissing || !issuers.every((issuer) => isSameIssuer(issuer, server.issuer)))
    throw new SignInFailure('issuer', `The parameter iss is ${issuers.join(', ') || 'missing'}.`)
}

/**
 * Throws SignInFailure if the secret of an entered client would be sent to another issuer than at first: a server could
 * name one of its own to learn the secret. Saving the settings of the connector again allows another issuer.
 */
export function assertClientIssuer({ issuer }: AuthorizationServer, client_issuer: string | undefined): void {
  if (client_issuer !== undefined && !isSameIssuer(client_issuer, issuer))
    throw new SignInFailure(
      'issuer',
      `The client was entered for ${client_issuer}, and not for ${issuer}. Save its settings again to allow it.`,
    )
}

async function completeState(
  request: OAuthRequest,
  target: HttpTarget,
  state: OAuthState,
  grant: Readonly<Record<string, string | undefined>>,
): Promise<OAuthState> {
  const { discovery, client: registered, scope, tokens: earlierTokens } = state
  const client = target.client ?? registered
  if (!client || !discovery) throw new SignInFailure('client')
  const resource = resourceOf(target, discovery)
  const server = discovery.authorizationServerMetadata
  const tokens = await requestTokens(request, server, client, { ...grant, resource })
  // A server that does not rotate its refresh token does not send it again, nor the scopes that were asked for.
  const unchanged = { refresh_token: earlierTokens?.refresh_token, scope: earlierTokens?.scope ?? scope }
  return withinBounds({ ...state, tokens: { ...unchanged, ...tokens } })
}

/** Returns the state of a sign-in; throws SignInFailure if it is too large to be stored for each account. */
function withinBounds(state: OAuthState): OAuthState {
  if (JSON.stringify(state).length > MAX_STATE_CHARS)
    throw new SignInFailure('metadata', 'The answers of the authorization server are too large.')
  return state
}

/** Returns the resource to name in requests, as the server writes it; undefined if it names none. */
const resourceOf = ({ oauth_resource }: HttpTarget, { resource }: Discovery) =>
  oauth_resource === 'omit' ? undefined : resource

/** Adds the scope for refresh tokens, if the authorization server knows it. */
function chooseScope(askedScope: string | undefined, { authorizationServerMetadata, scopes }: Discovery) {
  const scope = askedScope ?? joinScopes(scopes?.join(' '))
  if (scope === undefined || !authorizationServerMetadata.scopes_supported?.includes(OFFLINE)) return scope
  return joinScopes(scope, OFFLINE)
}

/** True if a client that was registered before still serves. */
const isUsable = (
  { issuer, client_secret_expires_at: expires_at, redirect_uri: registered }: OAuthClient,
  server: AuthorizationServer,
  redirect_uri: string,
  now: number,
) =>
  issuer !== undefined &&
  isSameIssuer(issuer, server.issuer) &&
  (expires_at === undefined || expires_at > now) &&
  registered === redirect_uri
