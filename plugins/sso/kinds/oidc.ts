import type { Configuration, ServerMetadata } from 'openid-client'
import {
  type ForeignIdentity,
  type SignInChallenge,
  SignInFailure,
  type SignInKind,
} from '../sign-in-kind.ts'
import type { SsoSettings } from '../types.ts'
import { anotherIssuer, explainOidcError, isRefusalOfCode, type OidcStage } from './oidc-failure.ts'
import { assertSecure, createOidcFetch } from './oidc-reach.ts'

/** What a discovered issuer is taken for, in milliseconds. */
const DISCOVERY_LIFE = 600_000

const CLOCK_SKEW_SECONDS = 30

/** What the metadata of an issuer must name. */
const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** The claims of the ID token that are about the token and not about the person. */
const TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash', 'sid', 'jti']

/** Signing in with any issuer of OpenID Connect that can be discovered. */
export function createOidcKind({
  fetch,
  isTrustedHost,
  now,
}: {
  fetch: typeof globalThis.fetch
  isTrustedHost(hostname: string): boolean
  now(): number
}): SignInKind {
  let kept: { issuer: string; metadata: ServerMetadata; until: number } | undefined

  /** The metadata of the issuer, all of whose addresses may be reached. */
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
      kept = { issuer, metadata, until: now() + DISCOVERY_LIFE }
      return metadata
    } catch (error) {
      throw explainOidcError(error, 'discovery')
    }
  }

  /** Throws SignInFailure where something is missing that a sign-in needs, or is another issuer's. */
  function assertUsable(metadata: ServerMetadata, issuer: URL): void {
    // The library lets two hosting services answer with another issuer, for whose word anybody's would do.
    if (!URL.canParse(metadata.issuer) || new URL(metadata.issuer).href !== issuer.href) throw anotherIssuer()
    for (const name of NEEDED)
      if (typeof metadata[name] !== 'string')
        throw new SignInFailure('misconfigured', `The issuer names no ${name}.`)
    for (const name of [...NEEDED, 'userinfo_endpoint'] as const)
      if (metadata[name] !== undefined) assertSecure(metadata[name], isTrustedHost)
  }

  /** The library's view of the issuer for one call, whose requests end with `signal`. */
  async function configure(settings: SsoSettings, signal: AbortSignal, anew = false): Promise<Configuration> {
    const library = await import('openid-client')
    const { issuer, client_id, client_secret } = settings
    const isKept = kept?.issuer === issuer && now() < kept.until
    const metadata = isKept && !anew ? kept!.metadata : await discover(issuer!, signal)
    const { Configuration, ClientSecretBasic, ClientSecretPost, None } = library
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const onlyPost = methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
    const prove = onlyPost ? ClientSecretPost : ClientSecretBasic
    const client = { [library.clockTolerance]: CLOCK_SKEW_SECONDS }
    const config = new Configuration(
      metadata,
      client_id,
      client,
      client_secret ? prove(client_secret) : None(),
    )
    config[library.customFetch] = createOidcFetch(fetch, isTrustedHost, signal)
    library.enableNonRepudiationChecks(config)
    if (new URL(issuer!).protocol === 'http:') library.allowInsecureRequests(config)
    return config
  }

  /** Redeems the code that somebody came back with, and gives all that the issuer says of them. */
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
    const tokens = await authorizationCodeGrant(config, callback, checks).catch(refuse('token'))
    const told = tokens.claims()!
    if (!config.serverMetadata().userinfo_endpoint) return told
    const info = await fetchUserInfo(config, tokens.access_token, told.sub).catch(refuse('person'))
    return { ...info, ...told }
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
      return identityOf(await readClaims(config, challenge, callback))
    },

    async test(settings, signal) {
      const config = await configure(settings, signal, true)
      await assertKeys(config.serverMetadata().jwks_uri!, createOidcFetch(fetch, isTrustedHost, signal))
      await assertCredentials(config)
    },
  }
}

const refuse = (stage: OidcStage) => (error: unknown) => {
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

/** Throws SignInFailure where the issuer refuses the client, which it is asked with a code that there is not. */
async function assertCredentials(config: Configuration): Promise<void> {
  const { genericGrantRequest } = await import('openid-client')
  try {
    await genericGrantRequest(config, 'authorization_code', { code: 'none', code_verifier: 'n'.repeat(43) })
  } catch (error) {
    if (!isRefusalOfCode(error)) throw explainOidcError(error, 'token')
  }
}

function identityOf(claims: Record<string, unknown> & { iss: string; sub: string }): ForeignIdentity {
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
