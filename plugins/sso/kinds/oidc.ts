import type { Configuration, ServerMetadata } from 'openid-client'
import {
  type ForeignIdentity,
  type SignInChallenge,
  SignInFailure,
  type SignInKind,
} from '../sign-in-kind.ts'
import type { SsoSettings } from '../types.ts'
import { createIssuerMismatch, explainOidcError, isCodeRejection, type OidcStage } from './oidc-failure.ts'
import { assertSecure, createOidcFetch } from './oidc-requests.ts'

/** The time for which the metadata of an issuer is cached. */
const DISCOVERY_LIFETIME_MS = 600_000

const CLOCK_SKEW_SECONDS = 30

/** The endpoints that the metadata of an issuer must have. */
const REQUIRED_ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** The claims of the ID token that describe the token and not the user. */
const TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'sid', 'jti']

/** Creates the kind for any issuer with OpenID Connect Discovery. */
export function createOidcKind({
  fetch,
  isTrustedHost,
  now,
}: {
  fetch: typeof globalThis.fetch
  isTrustedHost(hostname: string): boolean
  now(): number
}): SignInKind {
  let cached: { issuer: string; metadata: ServerMetadata; until: number } | undefined

  /** Discovers and caches the metadata of the issuer. Throws SignInFailure. */
  async function discover(issuer: string, signal: AbortSignal): Promise<ServerMetadata> {
    const library = await import('openid-client')
    const url = new URL(issuer)
    assertSecure(issuer, isTrustedHost)
    try {
      const { discovery, allowInsecureRequests } = library
      const found = await discovery(url, 'nobody', undefined, undefined, {
        [library.customFetch]: createOidcFetch(fetch, isTrustedHost, signal),
        ...(url.protocol === 'http:' && { execute: [allowInsecureRequests] }),
      })
      const { supportsPKCE: _, ...metadata } = found.serverMetadata()
      assertUsable(metadata, url)
      cached = { issuer, metadata, until: now() + DISCOVERY_LIFETIME_MS }
      return metadata
    } catch (error) {
      throw explainOidcError(error, 'discovery')
    }
  }

  /** Throws SignInFailure if the metadata lacks a required endpoint or belongs to another issuer. */
  function assertUsable(metadata: ServerMetadata, issuer: URL): void {
    // The library accepts any issuer from two hosting services, which would let one tenant speak for another.
    if (!URL.canParse(metadata.issuer) || new URL(metadata.issuer).href !== issuer.href)
      throw createIssuerMismatch()
    for (const name of REQUIRED_ENDPOINTS)
      if (typeof metadata[name] !== 'string')
        throw new SignInFailure('misconfigured', `The issuer names no ${name}.`)
    for (const name of [...REQUIRED_ENDPOINTS, 'userinfo_endpoint'] as const)
      if (metadata[name] !== undefined) assertSecure(metadata[name], isTrustedHost)
  }

  /** Returns openid-client's configuration of the issuer for one call, whose requests end with `signal`. */
  async function configure(
    settings: SsoSettings,
    signal: AbortSignal,
    refresh = false,
  ): Promise<Configuration> {
    const library = await import('openid-client')
    const { issuer, client_id, client_secret } = settings
    const isCached = cached?.issuer === issuer && now() < cached.until
    const metadata = isCached && !refresh ? cached!.metadata : await discover(issuer!, signal)
    const { Configuration, ClientSecretBasic, ClientSecretPost, None } = library
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const onlyPost = methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
    const authenticate = onlyPost ? ClientSecretPost : ClientSecretBasic
    const client = { [library.clockTolerance]: CLOCK_SKEW_SECONDS }
    const config = new Configuration(
      metadata,
      client_id,
      client,
      client_secret ? authenticate(client_secret) : None(),
    )
    config[library.customFetch] = createOidcFetch(fetch, isTrustedHost, signal)
    library.enableNonRepudiationChecks(config)
    if (new URL(issuer!).protocol === 'http:') library.allowInsecureRequests(config)
    return config
  }

  /** Exchanges the code of the callback, and returns the claims of the ID token and of the userinfo endpoint. */
  async function readClaims(
    config: Configuration,
    { state, nonce, code_verifier }: SignInChallenge,
    callback: URL,
  ): Promise<Record<string, unknown> & { iss: string; sub: string }> {
    const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client')
    const checks = {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: code_verifier,
      idTokenExpected: true,
    }
    const tokens = await authorizationCodeGrant(config, callback, checks).catch(rethrow('token'))
    const idClaims = tokens.claims()!
    if (!config.serverMetadata().userinfo_endpoint) return idClaims
    const info = await fetchUserInfo(config, tokens.access_token, idClaims.sub).catch(rethrow('userinfo'))
    return { ...info, ...idClaims }
  }

  return {
    kind: 'oidc',
    label: { en: 'Single sign-on', zh: '单点登录' },
    required: ['issuer', 'client_id'],
    default_scopes: 'openid profile email',

    async authorize(settings, { redirect_uri, state, nonce, code_verifier }, signal) {
      const config = await configure(settings, signal)
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client')
      return buildAuthorizationUrl(config, {
        redirect_uri,
        scope: [...new Set(['openid', ...settings.scopes.split(/\s+/).filter(Boolean)])].join(' '),
        state,
        nonce,
        response_mode: 'query',
        code_challenge: await calculatePKCECodeChallenge(code_verifier),
        code_challenge_method: 'S256',
      })
    },

    async identify(settings, challenge, callback, signal) {
      const config = await configure(settings, signal)
      return toIdentity(await readClaims(config, challenge, callback))
    },

    async test(settings, signal) {
      const config = await configure(settings, signal, true)
      await assertKeys(config.serverMetadata().jwks_uri!, createOidcFetch(fetch, isTrustedHost, signal))
      await assertCredentials(config)
    },
  }
}

const rethrow = (stage: OidcStage) => (error: unknown) => {
  throw explainOidcError(error, stage)
}

/** Throws SignInFailure unless the issuer publishes a key. */
async function assertKeys(jwks_uri: string, request: ReturnType<typeof createOidcFetch>): Promise<void> {
  let keys: unknown
  try {
    const answer = await request(jwks_uri, { method: 'GET', headers: { accept: 'application/json' } })
    keys = ((await answer.json()) as { keys?: unknown } | null)?.keys
  } catch (error) {
    throw explainOidcError(error, 'discovery')
  }
  if (!Array.isArray(keys) || keys.length === 0)
    throw new SignInFailure('misconfigured', 'The issuer publishes no signing keys.')
}

/** Throws SignInFailure if the issuer rejects the client; asks it to exchange a code that does not exist. */
async function assertCredentials(config: Configuration): Promise<void> {
  const { genericGrantRequest } = await import('openid-client')
  try {
    await genericGrantRequest(config, 'authorization_code', { code: 'none', code_verifier: 'n'.repeat(43) })
  } catch (error) {
    if (!isCodeRejection(error)) throw explainOidcError(error, 'token')
  }
}

function toIdentity(claims: Record<string, unknown> & { iss: string; sub: string }): ForeignIdentity {
  const { iss, sub, email, email_verified } = claims
  const text = (name: string) => {
    const value = claims[name]
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
  }
  return {
    issuer: iss,
    subject: sub,
    username: text('preferred_username'),
    display_name: text('name') ?? text('nickname'),
    email: typeof email === 'string' && ![false, 'false'].includes(email_verified as never) ? email : null,
    claims: Object.fromEntries(Object.entries(claims).filter(([name]) => !TOKEN_CLAIMS.includes(name))),
  }
}
