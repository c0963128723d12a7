import type { Configuration, ServerMetadata } from 'openid-client'
import {
  type ForeignIdentity,
  type SignInChallenge,
  SignInFailure,
  type SignInKind,
  type SsoSettings,
} from '../sign-in-kind.ts'
import { createIssuerMismatch, explainOidcError, isCodeRejection, type OidcStage } from './oidc-failure.ts'
import { assertSecure, createOidcFetch } from './oidc-requests.ts'
import { listUserinfoSignatures, readUserinfo } from './oidc-userinfo.ts'

/** The time for which the metadata of an issuer is cached. */
const DISCOVERY_LIFETIME_MS = 600_000

/** The endpoints that the metadata of an issuer must have. */
const REQUIRED_ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** Creates the kind for any issuer with OpenID Connect Discovery. */
export function createOidcKind({
  fetch,
  isTrustedHost,
  clock_skew_seconds,
  now,
}: {
  fetch: typeof globalThis.fetch
  isTrustedHost(hostname: string): boolean
  /** The difference between the clocks of the issuer and of this server that is accepted. */
  clock_skew_seconds: number
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
      const discovered = await discovery(url, 'nobody', undefined, undefined, {
        [library.customFetch]: createOidcFetch(fetch, isTrustedHost, signal),
        ...(url.protocol === 'http:' && { execute: [allowInsecureRequests] }),
      })
      const { supportsPKCE: _, ...metadata } = discovered.serverMetadata()
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
    const client = { [library.clockTolerance]: clock_skew_seconds }
    const signatures = listUserinfoSignatures(metadata.userinfo_signing_alg_values_supported)
    const config = new Configuration(
      { ...metadata, userinfo_signing_alg_values_supported: signatures },
      client_id,
      client,
      client_secret ? authenticate(client_secret) : None(),
    )
    config[library.customFetch] = createOidcFetch(fetch, isTrustedHost, signal)
    library.enableNonRepudiationChecks(config)
    if (new URL(issuer!).protocol === 'http:') library.allowInsecureRequests(config)
    return config
  }

  /** Exchanges the code of the callback; returns the identity in the ID token and at the userinfo endpoint. */
  async function readIdentity(
    config: Configuration,
    { state, nonce, code_verifier }: SignInChallenge,
    callback: URL,
    signal: AbortSignal,
  ): Promise<ForeignIdentity> {
    const { authorizationCodeGrant } = await import('openid-client')
    const checks = {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: code_verifier,
      idTokenExpected: true,
    }
    const tokens = await authorizationCodeGrant(config, callback, checks).catch(rethrow('token'))
    const claims = tokens.claims()!
    if (!config.serverMetadata().userinfo_endpoint) return toIdentity(claims)
    const info = await readUserinfo(
      config,
      { access_token: tokens.access_token, subject: claims.sub },
      { createFetch: (signal) => createOidcFetch(fetch, isTrustedHost, signal), signal },
    )
    if ('failure' in info) return { ...toIdentity(claims), incomplete: info.failure.message }
    return toIdentity({ ...info.claims, ...claims })
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
      return readIdentity(config, challenge, callback, signal)
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

type Claims = Readonly<Record<string, unknown>>

const SOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'

/** The claims of Keycloak, Okta, Entra, ADFS and Google that may name an account, the most telling first. */
const NAME_CLAIMS = [
  'preferred_username',
  'upn',
  'unique_name',
  'winaccountname',
  'username',
  `${SOAP}/upn`,
  'http://schemas.microsoft.com/ws/2008/06/identity/claims/windowsaccountname',
  `${SOAP}/name`,
  'email',
  `${SOAP}/emailaddress`,
  'nickname',
  'name',
  'displayname',
  'commonname',
  'http://schemas.xmlsoap.org/claims/CommonName',
]

/** The claims of a person's whole name, the best first. */
const DISPLAY_CLAIMS = [
  'name',
  'displayname',
  'http://schemas.microsoft.com/identity/claims/displayname',
  'commonname',
  'http://schemas.xmlsoap.org/claims/CommonName',
  'nickname',
]

/** The claims of the parts of a name, in their order. */
const PART_CLAIMS = [
  ['given_name', 'family_name'],
  [`${SOAP}/givenname`, `${SOAP}/surname`],
] as const

/** The claims of the ID token that describe the token and not the user. */
const TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'sid', 'jti']

/** Returns the identity that claims describe. */
function toIdentity(claims: Claims & { iss: string; sub: string }): ForeignIdentity {
  const { iss, sub, email, email_verified } = claims
  const text = (name: string) => {
    const value = claims[name]
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
  }
  const texts = (names: readonly string[]) => names.map(text).filter((value) => value !== undefined)
  const parts = PART_CLAIMS.map((names) => texts(names).join(' ')).find((name) => name !== '')
  return {
    issuer: iss,
    subject: sub,
    usernames: texts(NAME_CLAIMS),
    display_name: texts(DISPLAY_CLAIMS)[0] ?? parts ?? null,
    email: typeof email === 'string' && ![false, 'false'].includes(email_verified as never) ? email : null,
    claims: Object.fromEntries(Object.entries(claims).filter(([name]) => !TOKEN_CLAIMS.includes(name))),
  }
}
